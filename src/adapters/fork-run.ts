import { forkStart, type ForkRequest, type RunStart } from '../domain/fork.ts';
import { PlatformFailure } from '../domain/failure.ts';
import type { Ref } from '../domain/ids.ts';
import { getArtifact, getExperiment, putArtifact, putExperiment } from './artifact-store.ts';
import { runPaths, type Home } from './layout.ts';
import { listRuns, readEvents } from './run-store.ts';

/** What a fork takes from the run that it starts from; afterwards it never looks there again (F2). */

/**
 * Finds the node that a fork starts from, in the journal of a run in whatever state, and checks that its
 * experiment is whole.
 *
 * @throws PlatformFailure `ConfigInvalid` for a run or node that is not there or has no experiment;
 * `ArtifactMissing`, `ArtifactCorrupt`
 */
export async function readForkStart(home: Home, request: ForkRequest): Promise<RunStart> {
  if (!(await listRuns(home)).includes(request.run)) {
    throw new PlatformFailure(
      'ConfigInvalid',
      `there is no run ${request.run} to fork: no ${runPaths(home, request.run).runFile}`,
      'See the runs that there are with: scientist list',
    );
  }
  const start = forkStart(await readEvents(home, request.run), request);
  const { files } = await getExperiment(home, request.run, start.node.experiment);
  for (const ref of Object.values(files)) await getArtifact(home, request.run, ref);
  return start;
}

/**
 * Copies an experiment with its files from one run's store into another's, each checked on the way.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`
 */
export async function copyExperiment(home: Home, from: string, to: string, ref: Ref): Promise<void> {
  const experiment = await getExperiment(home, from, ref);
  for (const file of Object.values(experiment.files)) await putArtifact(home, to, await getArtifact(home, from, file));
  await putExperiment(home, to, experiment);
}
