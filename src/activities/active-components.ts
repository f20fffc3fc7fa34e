import { z } from 'zod';
import { getExperiment } from '../adapters/artifact-store.ts';
import type { Home } from '../adapters/layout.ts';
import { loadRun } from '../adapters/run-store.ts';
import type { ControlActivities } from '../domain/activities.ts';
import { Ref, RunId } from '../domain/ids.ts';
import { activeKeys } from '../domain/task.ts';
import { asActivity } from './attempt.ts';

const Input = z.strictObject({ runId: RunId, experiment: Ref });

/** Makes the activity that names the component keys which count under an experiment's parameters. */
export function makeActiveComponents(deps: { readonly home: Home }): ControlActivities['activeComponents'] {
  return asActivity(Input, async ({ runId, experiment }) => {
    const { task } = await loadRun(deps.home, runId);
    const { parameters } = await getExperiment(deps.home, runId, experiment);
    const keys = activeKeys(task, parameters);
    return { keys, intact: keys.filter((key) => parameters[key] !== task.components[key]?.ablated) };
  });
}
