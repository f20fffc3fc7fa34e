import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformFailure } from '../../domain/failure.ts';
import type { Proposal } from '../../domain/proposal.ts';
import { defaultParameters } from '../../domain/task.ts';
import type { ProposalContext, Proposer } from '../proposer.ts';
import type { Entry, Script } from './script.ts';

/**
 * Proposals from a file. Which entry serves an item depends on the item alone, never on the order of the calls,
 * so that a retry and a resumed run get the same answer: of the entries that fit the item, its ordinal picks
 * one. Entries that name the item or the node come first, whatever its ordinal.
 */
export function createScriptedProposer(script: Script, fallback: Proposer): Proposer {
  return {
    propose: async (context) => {
      const entry = entryFor(script, context);
      if (entry?.delay !== undefined) await sleep(entry.delay, undefined, { signal: context.signal });
      if (entry !== undefined) return proposalOf(entry, context);
      if (script.default === 'search_space') return fallback.propose(context);
      return { status: 'exhausted', message: `the script has no entry left for ${context.item.id}` };
    },
  };
}

function entryFor(script: Script, context: ProposalContext): Entry | undefined {
  const fitting = script.entries.filter((entry) => fits(entry, context));
  const isNamed = ({ match }: Entry): boolean => match.item !== undefined || match.node !== undefined;
  const named = fitting.find(isNamed);
  const queue = fitting.filter((entry) => !isNamed(entry));
  return named ?? queue[context.item.ordinal] ?? queue.findLast(({ repeat }) => repeat);
}

function fits({ match }: Entry, { item, stage, node }: ProposalContext): boolean {
  const actual = { item: item.id, operator: item.operator, stage, node, parent: item.parent, target: item.target };
  return (
    (match.item ?? actual.item) === actual.item &&
    (match.operator ?? actual.operator) === actual.operator &&
    (match.stage ?? actual.stage) === actual.stage &&
    (match.node ?? actual.node) === actual.node &&
    (match.parent ?? actual.parent) === actual.parent &&
    (match.target ?? actual.target) === actual.target
  );
}

function proposalOf(entry: Entry, context: ProposalContext): Proposal {
  if (entry.refused !== undefined)
    throw new PlatformFailure(entry.refused.type, entry.refused.message, 'The script of the proposer says so.');
  if (entry.malformed !== undefined) return { status: 'malformed', message: entry.malformed };
  if (entry.exhausted !== undefined) return { status: 'exhausted', message: entry.exhausted };
  const parameters = entry.edit ?? { ...defaultParameters(context.task), ...entry.parameters };
  return {
    status: 'proposed',
    edit: { parameters, files: {} },
    label: entry.label ?? usualLabel(context),
    plan: entry.plan ?? `Scripted: ${context.item.id}.`,
  };
}

/** The label where none is scripted: kept through debug, the target where there is one. */
function usualLabel({ item, parent }: ProposalContext): string {
  return item.operator === 'debug' ? (parent?.label ?? 'debug') : (item.target ?? item.operator);
}
