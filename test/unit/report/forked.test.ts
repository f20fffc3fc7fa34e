import { describe, expect, it } from 'vitest';
import { CarriedNode } from '../../../src/domain/fork.ts';
import { RunId } from '../../../src/domain/ids.ts';
import { ResolvedRun } from '../../../src/domain/resolved-run.ts';
import { htmlReport } from '../../../src/report/html.ts';
import { markdownReport } from '../../../src/report/markdown.ts';
import { buildReport } from '../../../src/report/model.ts';
import { ReportModel } from '../../../src/report/schema.ts';
import { exampleReportInput } from '../../support/example-run.ts';

/** The example as a fork: its stages 2 to 4 alone, beginning with the node that stage 1 had found. */
function forkedReport(): ReportModel {
  const { run, events, experiments } = exampleReportInput();
  const base = events.find((event) => event.kind === 'base' && event.stage === 'baseline_tuning');
  if (base?.kind !== 'base') throw new Error('the example carries no node into stage 2');
  const start = { stage: 'baseline_tuning' as const, node: CarriedNode.parse(base.node) };
  const resolved = ResolvedRun.parse({
    ...run,
    plan: { ...run.plan, start },
    forkedFrom: { run: RunId.parse('older-1'), node: base.node.id, stage: start.stage },
  });
  const own = events.filter(({ stage }) => stage !== 'initial_implementation');
  return ReportModel.parse(buildReport({ resolved, events: own, experiments, outcome: 'completed', stages: [] }));
}

describe('the report of a fork', () => {
  const model = forkedReport();

  it('says where it came from, in both forms', () => {
    const words = 'Forked from n1 of run older-1, from baseline tuning on.';
    expect(markdownReport(model, new Map())).toContain(words);
    expect(htmlReport(model, new Map())).toContain(words);
  });

  it('tells the stages before its start as no part of it, not as something that failed', () => {
    expect(model.stages[0]).toMatchObject({
      state: 'not_started',
      ending: expect.stringContaining('not part of this run') as string,
    });
    expect(model.headline.failed).not.toContain('Not run');
    expect(markdownReport(model, new Map())).not.toContain('was not reached');
  });

  it('has the carried node as the root of its tree, in a folder that it has', () => {
    const [root] = model.stages[1]?.tree ?? [];
    expect(root).toMatchObject({ node: 'n1', carried: true, depth: 0, folder: 'baseline_tuning/n1' });
  });

  it('traces the best node back to the carried one, with the datasets of the stage that evaluated it', () => {
    const [first] = model.best?.lineage ?? [];
    expect(first).toMatchObject({ node: 'n1', datasets: model.stages[1]?.datasets });
  });

  it('a run that is no fork says nothing of it', () => {
    const { run: resolved, events, experiments } = exampleReportInput();
    const plain = buildReport({ resolved, events, experiments, outcome: 'completed', stages: [] });
    expect(plain.run.forkedFrom).toBeNull();
    expect(markdownReport(plain, new Map())).not.toContain('orked from');
    expect(htmlReport(plain, new Map())).not.toContain('orked from');
  });
});
