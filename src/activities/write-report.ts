import { relative } from 'node:path';
import { getExperiment } from '../adapters/artifact-store.ts';
import { writeFileAtomic, writeJsonAtomic } from '../adapters/atomic-file.ts';
import { writeBestProgram } from '../adapters/best-program.ts';
import { readFigures } from '../adapters/figure-files.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import { loadRun, readableEvents } from '../adapters/run-store.ts';
import type { Experiment } from '../domain/experiment.ts';
import { PlatformFailure } from '../domain/failure.ts';
import type { Ref, RunId } from '../domain/ids.ts';
import type { JournalEvent } from '../domain/journal.ts';
import { WriteReportInput } from '../domain/messages.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { htmlReport } from '../report/html.ts';
import { markdownReport } from '../report/markdown.ts';
import { escapeMarkdown } from '../report/markdown-text.ts';
import { buildReport } from '../report/model.ts';
import { ReportModel } from '../report/schema.ts';
import { asActivity } from './attempt.ts';

/** What the activity is made with. */
export interface ReportDeps {
  readonly home: Home;
  /** Whether a damaged journal fails it; else the report says what is left out. */
  readonly mustBeWhole?: boolean;
}

/** Experiments read at once. */
const READ_AT_ONCE = 32;

/**
 * Makes the activity `writeReport`: `report.md`, `report.html` (where the config wants it), `report.json`,
 * `journal.json` and the best program, all from the run's folder. It can be repeated at any time, for any part
 * of a run; what cannot be read of programs and figures is left out rather than failing the report.
 */
export function makeWriteReport({
  home,
  mustBeWhole = false,
}: ReportDeps): (input: WriteReportInput) => Promise<{ report: string }> {
  return asActivity(WriteReportInput, async (input) => {
    const { resolved, events } = await readRun(home, input.runId, mustBeWhole);
    const experiments = await readExperiments(home, input.runId, events);
    const { outcome, stages, best } = input;
    const model = await keepBestProgram(home, resolved, buildReport({ resolved, events, experiments, outcome, stages, best }));
    await writeFiles(home, resolved, { model: ReportModel.parse(model), events });
    const { root } = home;
    return { report: relative(root, runPaths(home, input.runId).reportMarkdown) };
  });
}

async function readRun(
  home: Home,
  runId: RunId,
  mustBeWhole: boolean,
): Promise<{ resolved: ResolvedRun; events: JournalEvent[] }> {
  const { events, damaged } = await readableEvents(home, runId);
  if (mustBeWhole && damaged[0] !== undefined) throw damaged[0];
  const resolved = await loadRun(home, runId);
  const lost = damaged.map(({ type, message }) => `${type}: ${message} The report is made without this event of the journal.`);
  return { resolved: { ...resolved, warnings: [...resolved.warnings, ...lost] }, events };
}

async function writeFiles(
  home: Home,
  resolved: ResolvedRun,
  report: { model: ReportModel; events: readonly JournalEvent[] },
): Promise<void> {
  const { model, events } = report;
  const { runId } = resolved.plan;
  const paths = runPaths(home, runId);
  const figures = await readFigures(
    home,
    runId,
    model.stages.flatMap((stage) => stage.figures.map(({ folder }) => folder)),
  );
  await writeFileAtomic(paths.journalFile, `[\n${events.map((event) => JSON.stringify(event)).join(',\n')}\n]\n`);
  await writeJsonAtomic(paths.reportData, model);
  if (resolved.config.report.html) await writeFileAtomic(paths.reportHtml, htmlReport(model, figures));
  await writeFileAtomic(paths.reportMarkdown, markdownReport(model, figures));
}

/** Writes the best program; the model says so where that was not possible. */
async function keepBestProgram(home: Home, resolved: ResolvedRun, model: ReportModel): Promise<ReportModel> {
  const { best } = model;
  if (best === null) return model;
  const [dataset = ''] = best.datasets;
  const kept = await readable(
    writeBestProgram(home, resolved, {
      experiment: best.experiment,
      title: escapeMarkdown(model.headline.found),
      dataset,
      seed: model.run.searchSeed,
    }),
  );
  return { ...model, best: { ...best, kept: kept !== null } };
}

/** The experiments of all nodes, as far as they can be read. */
async function readExperiments(home: Home, runId: string, events: readonly JournalEvent[]): Promise<Map<Ref, Experiment>> {
  const refs = [
    ...new Set(
      events.flatMap((event) => ('node' in event && typeof event.node === 'object' ? (event.node.experiment ?? []) : [])),
    ),
  ];
  const found = new Map<Ref, Experiment>();
  for (let at = 0; at < refs.length; at += READ_AT_ONCE) {
    const batch = refs.slice(at, at + READ_AT_ONCE);
    const read = await Promise.all(
      batch.map(async (ref) => ({ ref, experiment: await readable(getExperiment(home, runId, ref)) })),
    );
    for (const { ref, experiment } of read) if (experiment !== null) found.set(ref, experiment.value);
  }
  return found;
}

/** The result of a read in a box, or `null` when the artifact is missing or damaged. */
async function readable<T>(read: Promise<T>): Promise<{ value: T } | null> {
  try {
    return { value: await read };
  } catch (error) {
    if (error instanceof PlatformFailure && (error.type === 'ArtifactMissing' || error.type === 'ArtifactCorrupt')) return null;
    throw error;
  }
}
