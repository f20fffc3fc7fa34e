import { compareValues } from '../../domain/metric.ts';
import type { PastNode, Proposal } from '../../domain/proposal.ts';
import { randomStream, type Random } from '../../domain/random.ts';
import type { ProposalContext } from '../proposer.ts';
import { changesText, exhausted, fresh, nth, proposed, text, type Candidate } from './answers.ts';
import { rankedValues, triedPoints } from './evidence.ts';
import { openKeys, valuesOf, type Point } from './space.ts';

/** Points that are drawn before an improvement gives up; bounds the time of a proposal in a small space. */
const TRIES = 64;
/** How often an improvement takes another family. */
const OTHER_FAMILY = 0.2;
/** How often a value is drawn blindly instead of from the three most promising. */
const BLIND = 0.2;

/**
 * A bold step: two to four keys at once, each to a value that looks promising or, sometimes, to any. One in five
 * takes another family, with the best values that the journal has for it.
 */
export function improve(context: ProposalContext): Proposal {
  const { base, item, pending, task } = context;
  const draw = randomStream(context.seed, `search_space/improve/${item.parent ?? ''}/${item.ordinal - pending}`);
  const known = { task, from: base.parameters, tried: triedPoints(context) };
  const choice = nth(fresh(known, drawCandidates(context, draw)), pending);
  return choice === undefined
    ? exhausted('no untried combination was found near this node')
    : proposed(task, base.parameters, choice);
}

function* drawCandidates(context: ProposalContext, draw: Random): Generator<Candidate> {
  for (let tries = 0; tries < TRIES + context.pending; tries++) yield drawCandidate(context, draw);
}

function drawCandidate(context: ProposalContext, draw: Random): Candidate {
  const { base, task } = context;
  const start = draw.next() < OTHER_FAMILY ? inOtherFamily(context, draw) : base.parameters;
  const isSwitched = start !== base.parameters;
  const keys = draw.shuffle(openKeys(context, start).filter((key) => key !== task.family));
  const count = isSwitched ? draw.below(3) : 2 + draw.below(3);
  const point = keys.slice(0, count).reduce((at, key) => withNewValue(context, { key, at }, draw), start);
  const label = task.family === undefined ? 'improve' : text(point[task.family]);
  return { point, label, plan: `Improve several things at once: ${changesText(task, base.parameters, point)}.` };
}

function withNewValue(context: ProposalContext, { key, at }: { key: string; at: Point }, draw: Random): Point {
  const values = rankedValues(context, { key, point: at }, draw);
  const value = draw.pick(draw.next() < BLIND ? values : values.slice(0, 3));
  return value === undefined ? at : { ...at, [key]: value };
}

/** The same point in another family, with the values of the best node of that family as far as they may change. */
function inOtherFamily(context: ProposalContext, draw: Random): Point {
  const { base, task } = context;
  const key = task.family;
  if (key === undefined || !openKeys(context, base.parameters).includes(key)) return base.parameters;
  const family = draw.pick(valuesOf(task, key).filter((value) => value !== base.parameters[key]));
  if (family === undefined) return base.parameters;
  const switched: Point = { ...base.parameters, [key]: family };
  const model = bestOf(
    context,
    context.past.filter((node) => node.parameters[key] === family),
  );
  if (model === undefined) return switched;
  return openKeys(context, switched).reduce((at, open) => {
    const value = model.parameters[open];
    return value === undefined ? at : { ...at, [open]: value };
  }, switched);
}

function bestOf({ metric }: ProposalContext, nodes: readonly PastNode[]): PastNode | undefined {
  return nodes.filter((node) => node.metric !== null).sort((a, b) => compareValues(metric.direction, a.metric, b.metric))[0];
}
