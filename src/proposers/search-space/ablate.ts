import type { Proposal } from '../../domain/proposal.ts';
import type { ProposalContext } from '../proposer.ts';
import { changesText, exhausted, proposed } from './answers.ts';
import { componentOf, openKeys, type Point } from './space.ts';

/**
 * Takes a component away: the target's keys (`a`, or `a+b` for a pair) go to their ablated values, all else
 * stays. There is nothing to learn where a key of the target is there already or does not count.
 */
export function ablate(context: ProposalContext): Proposal {
  const { base, task, past } = context;
  const open = openKeys(context, base.parameters).filter((key) => isPresent(context, key));
  const label =
    context.item.target ??
    open.filter((key) => !past.some((node) => node.operator === 'ablate' && node.label === key))[context.pending];
  if (label === undefined) return exhausted('every component is ablated already');
  const keys = label.split('+');
  const missing = keys.find((key) => !open.includes(key));
  if (missing !== undefined) return exhausted(`${missing} is without effect here already, or may not be changed`);
  const point = keys.reduce((at: Point, key) => {
    const value = componentOf(task, key)?.ablated;
    return value === undefined ? at : { ...at, [key]: value };
  }, base.parameters);
  return proposed(task, base.parameters, {
    point,
    label,
    plan: `Ablate ${keys.join(' and ')}: ${changesText(task, base.parameters, point)}.`,
  });
}

function isPresent({ task, base }: ProposalContext, key: string): boolean {
  const component = componentOf(task, key);
  return component?.ablated !== undefined && base.parameters[key] !== component.ablated;
}
