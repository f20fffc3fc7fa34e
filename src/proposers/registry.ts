import type { Home } from '../adapters/layout.ts';
import { assertNever, PlatformFailure } from '../domain/failure.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import type { Proposer } from './proposer.ts';
import { loadScript } from './scripted/load-script.ts';
import { createScriptedProposer } from './scripted/scripted.ts';
import { createSearchSpaceProposer } from './search-space/search-space.ts';

/**
 * The proposer that a run's config names.
 *
 * @throws PlatformFailure `ConfigInvalid` for a script that is missing or wrong
 */
export async function proposerOf(home: Home, { config, plan }: ResolvedRun): Promise<Proposer> {
  const { kind, script } = config.proposer;
  switch (kind) {
    case 'search_space':
      return createSearchSpaceProposer();
    case 'scripted':
      if (script === null)
        throw new PlatformFailure('ConfigInvalid', 'proposer.script is empty.', 'Name the file of the scripted proposer.');
      return createScriptedProposer(await loadScript(home, plan.runId, script), createSearchSpaceProposer());
    default:
      return assertNever(kind);
  }
}
