import type { ParameterValue } from '../../domain/experiment.ts';
import type { Proposal } from '../../domain/proposal.ts';
import { randomStream } from '../../domain/random.ts';
import type { ProposalContext } from '../proposer.ts';
import { changesText, exhausted, fresh, nth, proposed, text, type Candidate } from './answers.ts';
import { triedPoints } from './evidence.ts';
import { openKeys, valuesOf, type Point } from './space.ts';

/** Tries at a new variant before a draft gives up. */
const TRIES = 200;

/**
 * A new root. Draft number k takes the k-th family, the default first and the others in a seeded order, with all
 * else at its default, so that the first drafts are as unlike as the task allows. When the families are through,
 * drafts go round them again with two or three other keys drawn anew.
 */
export function draft(context: ProposalContext): Proposal {
  const { base, item, pending, task } = context;
  const families = familiesOf(context);
  const rounds = Math.max(1, families.length);
  const family = families[item.ordinal % rounds];
  const root = withFamily(context, family);
  const label = family === undefined ? 'default' : text(family);
  if (item.ordinal < rounds) {
    return proposed(task, base.parameters, {
      point: root,
      label,
      plan: `Try ${familyText(context, family)} with everything else at its default.`,
    });
  }
  const known = { task, from: root, tried: triedPoints(context) };
  const choice = nth(fresh(known, variantsOf(context, root, label)), Math.floor(pending / rounds));
  return choice === undefined ? exhausted(`no variant of ${label} is left to draft`) : proposed(task, base.parameters, choice);
}

/** The families in the order of the drafts; empty when the task has none or it may not be chosen. */
export function familiesOf(context: ProposalContext): ParameterValue[] {
  const { family } = context.task;
  if (family === undefined || !openKeys(context, context.base.parameters).includes(family)) return [];
  const first = context.task.components[family]?.default;
  const others = valuesOf(context.task, family).filter((value) => value !== first);
  const order = randomStream(context.seed, 'search_space/families').shuffle(others);
  return first === undefined ? order : [first, ...order];
}

function withFamily(context: ProposalContext, family: ParameterValue | undefined): Point {
  const key = context.task.family;
  return key === undefined || family === undefined ? context.base.parameters : { ...context.base.parameters, [key]: family };
}

function familyText({ task }: ProposalContext, family: ParameterValue | undefined): string {
  return task.family === undefined || family === undefined ? 'the program' : `${task.family} ${text(family)}`;
}

function* variantsOf(context: ProposalContext, root: Point, label: string): Generator<Candidate> {
  const { task } = context;
  const draw = randomStream(context.seed, `search_space/draft/${label}/${context.item.ordinal - context.pending}`);
  for (let tries = 0; tries < TRIES; tries++) {
    let point = root;
    for (const key of draw.shuffle(openKeys(context, root).filter((open) => open !== task.family)).slice(0, 2 + draw.below(2))) {
      const value = draw.pick(valuesOf(task, key).filter((other) => other !== root[key]));
      if (value !== undefined) point = { ...point, [key]: value };
    }
    yield { point, label, plan: `Start again from ${label} with ${changesText(task, root, point)}.` };
  }
}
