import { z } from 'zod';
import { Duration } from '../../domain/duration.ts';
import { ComponentKey, ParameterValue } from '../../domain/experiment.ts';
import { NodeId, StageName } from '../../domain/ids.ts';
import { Operator } from '../../domain/item.ts';

/** Which items an entry is for: all that is written has to fit; an empty match fits every item. */
const Match = z.strictObject({
  /** An item's id, such as `tune:n3:model.depth#0`. */
  item: z.string().max(300).exactOptional(),
  operator: Operator.exactOptional(),
  stage: StageName.exactOptional(),
  node: NodeId.exactOptional(),
  parent: NodeId.exactOptional(),
  target: z.string().max(170).exactOptional(),
});

const Values = z.record(ComponentKey, ParameterValue);

/** A proposer that does not answer, as the platform knows it. */
const Refusal = z.strictObject({
  type: z.enum(['ProposerAuth', 'ProposerUnavailable']),
  message: z.string().min(1).max(300),
});

/** The ways to answer; an entry has exactly one of them. */
const WAYS = ['edit', 'parameters', 'malformed', 'exhausted', 'refused'] as const;

/** One scripted proposal: exactly one of the {@link WAYS} says what it is. */
const Entry = z
  .strictObject({
    match: Match.default({}),
    /** Changes to the parent's parameters (of a draft: to the defaults); `null` removes a key. */
    edit: z.record(ComponentKey, ParameterValue.nullable()).exactOptional(),
    /** All parameters that are not at their default. */
    parameters: Values.exactOptional(),
    /** The proposal cannot be used, for the reason given. */
    malformed: z.string().min(1).max(600).exactOptional(),
    /** There is nothing left to try, for the reason given. */
    exhausted: z.string().min(1).max(300).exactOptional(),
    /** The proposer fails: for good (`ProposerAuth`), or so that it is asked again (`ProposerUnavailable`). */
    refused: Refusal.exactOptional(),
    /** How long the answer takes, such as `5s`; `proposer.timeout` ends what takes longer. */
    delay: Duration.exactOptional(),
    label: z.string().max(200).exactOptional(),
    plan: z.string().max(600).exactOptional(),
    /** Whether the entry serves every further item that it fits, instead of one. */
    repeat: z.boolean().default(false),
  })
  .refine(
    (entry) => WAYS.filter((way) => entry[way] !== undefined).length === 1,
    'an entry has exactly one of edit, parameters, malformed, exhausted and refused',
  );
/** One entry of a script. */
export type Entry = z.infer<typeof Entry>;

/** The file of a scripted proposer. */
export const Script = z.strictObject({
  /** Where no entry is left: nothing, or what the search space proposes. */
  default: z.enum(['exhausted', 'search_space']).default('exhausted'),
  entries: z.array(Entry).max(10_000),
});
export type Script = z.infer<typeof Script>;
