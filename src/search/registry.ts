import { PlatformFailure } from '../domain/failure.ts';
import { bestFirst } from './best-first.ts';
import type { Policy } from './policy.ts';

/** Every policy. */
export const POLICIES: readonly Policy[] = [bestFirst];

/** The policy of this name. */
export function policyNamed(name: string): Policy {
  const policy = POLICIES.find((candidate) => candidate.name === name);
  if (policy === undefined) {
    const names = POLICIES.map((candidate) => candidate.name).join(', ');
    throw new PlatformFailure('ConfigInvalid', `there is no policy named ${name}`, `choose one of: ${names}`);
  }
  return policy;
}
