import { sectionOf } from '../../../src/strategies/sections/key-hash.ts';
import type { Owners } from '../../../src/strategies/sections/partition.ts';

/** Edits of sections: whose a key is, which edit strays from its section, and all of them applied to one base. */

/** What an edit makes of some keys, and the section that it was made for. */
export interface SectionEdit<Value> {
  readonly id: string;
  readonly section: number;
  readonly changes: Readonly<Record<string, Value>>;
}

/** A key of an edit that another section owns. */
export interface SectionViolation {
  readonly edit: string;
  readonly section: number;
  readonly key: string;
  readonly owner: number;
}

/** The sections that keys belong to: those that are declared, and the number of sections. */
export interface SectionSpace {
  readonly owners: Owners;
  readonly count: number;
}

/** The section of a key; of one that was not declared, the bucket of its hash. `RangeError` without sections. */
export function ownerOf(key: string, { owners, count }: SectionSpace): number {
  return owners.get(key) ?? sectionOf(key, count);
}

/** The first key of the edits that is not of its edit's section; `null` when each stays in its own. */
export function strayChange(edits: readonly SectionEdit<unknown>[], space: SectionSpace): SectionViolation | null {
  for (const { id, section, changes } of edits) {
    const key = Object.keys(changes).find((changed) => ownerOf(changed, space) !== section);
    if (key !== undefined) return { edit: id, section, key, owner: ownerOf(key, space) };
  }
  return null;
}

/** The base with all the edits, in their order: of two edits of one section the later one holds. Or who strayed. */
export function unitedSections<Value>(
  base: Readonly<Record<string, Value>>,
  edits: readonly SectionEdit<Value>[],
  space: SectionSpace,
): { readonly united: Readonly<Record<string, Value>> } | { readonly violation: SectionViolation } {
  const violation = strayChange(edits, space);
  if (violation !== null) return { violation };
  return { united: Object.assign({}, base, ...edits.map(({ changes }) => changes)) as Record<string, Value> };
}
