import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWriteReport } from '../../../src/activities/write-report.ts';
import { runPaths, type Home } from '../../../src/adapters/layout.ts';
import { nodeId, RunId } from '../../../src/domain/ids.ts';
import { JournalEvent } from '../../../src/domain/journal.ts';
import type { WriteReportInput } from '../../../src/domain/messages.ts';
import { ReportModel } from '../../../src/report/schema.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { evaluationIdOf, exampleRun } from '../../support/journal.ts';
import { storeRun, temporaryHome } from '../../support/stored-run.ts';

const RUN = RunId.parse('digits-20261129-1');
const INPUT: WriteReportInput = { runId: RUN, outcome: 'completed', best: nodeId(10), stages: [] };

async function reportOf(home: Home): Promise<ReportModel> {
  return ReportModel.parse(JSON.parse(await readFile(runPaths(home, RUN).reportData, 'utf8')));
}

const isThere = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Every file of a run's folder with its text, but the inputs. */
async function written(home: Home): Promise<Record<string, string>> {
  const { root } = runPaths(home, RUN);
  const names = (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(names.sort().map(async (name) => [name, await readFile(name, 'utf8')] as const)));
}

describe('writing a report', () => {
  it('leaves report, data, journal and best program, and says where', async () => {
    const home = await temporaryHome();
    const events = await storeRun(home);
    expect(await makeWriteReport({ home })(INPUT)).toEqual({ report: `runs/${RUN}/report.md` });
    const paths = runPaths(home, RUN);
    expect(JournalEvent.array().parse(JSON.parse(await readFile(paths.journalFile, 'utf8')))).toEqual(events);
    expect(await readFile(paths.reportMarkdown, 'utf8')).toContain('n10 (svc with pca) is the best program');
    expect(await readFile(paths.reportHtml, 'utf8')).toContain('features.reduction none → pca');
    expect(await reportOf(home)).toMatchObject({
      outcome: 'completed',
      best: { node: 'n10', kept: true, parameters: [{}, {}, {}, {}] },
    });
    expect(JSON.parse(await readFile(join(paths.best, 'parameters.json'), 'utf8'))).toMatchObject({ 'model.family': 'svc' });
    expect(await readFile(join(paths.best, 'README.md'), 'utf8')).toContain('n10 (svc with pca) is the best program');
  });

  it('writes the same again when it is repeated', async () => {
    const home = await temporaryHome();
    await storeRun(home);
    await makeWriteReport({ home })(INPUT);
    const first = await written(home);
    await makeWriteReport({ home })(INPUT);
    expect(await written(home)).toEqual(first);
  });

  it('writes no page where the config wants none', async () => {
    const home = await temporaryHome();
    await storeRun(home, exampleReportInput(exampleRun({ html: false })));
    await makeWriteReport({ home })(INPUT);
    expect(await isThere(runPaths(home, RUN).reportHtml)).toBe(false);
    expect(await isThere(runPaths(home, RUN).reportMarkdown)).toBe(true);
  });

  it('puts figures into the page and links them in the text', async () => {
    const home = await temporaryHome();
    await storeRun(home);
    const folder = `evaluations/${evaluationIdOf(10, 'plot', 7)}/attempts/1.1/out`;
    await mkdir(join(runPaths(home, RUN).root, folder), { recursive: true });
    await writeFile(join(runPaths(home, RUN).root, folder, 'confusion.svg'), '<svg onload="alert(1)"/>');
    await makeWriteReport({ home })(INPUT);
    const page = await readFile(runPaths(home, RUN).reportHtml, 'utf8');
    expect(page).toContain('src="data:image/svg+xml;base64,');
    expect(page).not.toContain('onload');
    expect(await readFile(runPaths(home, RUN).reportMarkdown, 'utf8')).toContain(`](${folder}/confusion.svg)`);
  });

  it('works for a run without an event', async () => {
    const home = await temporaryHome();
    await storeRun(home, { ...exampleReportInput(), events: [] });
    await makeWriteReport({ home })({ ...INPUT, outcome: 'cancelled', best: null });
    expect(await reportOf(home)).toMatchObject({ outcome: 'cancelled', best: null });
    expect(await readFile(runPaths(home, RUN).journalFile, 'utf8')).toBe('[\n\n]\n');
    expect(await isThere(runPaths(home, RUN).best)).toBe(false);
  });

  it('works for a run that was stopped anywhere', async () => {
    const home = await temporaryHome();
    const example = exampleReportInput();
    for (const length of [1, 4, 9, 20]) {
      await rm(runPaths(home, RUN).root, { recursive: true, force: true });
      await storeRun(home, { ...example, events: example.events.slice(0, length) });
      await makeWriteReport({ home })({ ...INPUT, outcome: 'stopped', best: null });
      expect((await reportOf(home)).stages.filter(({ state }) => state === 'not_started').length).toBeGreaterThan(0);
    }
  });

  it('works without the artifacts and the program, and says that they could not be read', async () => {
    const home = await temporaryHome();
    await storeRun(home);
    await rm(runPaths(home, RUN).artifacts, { recursive: true });
    await makeWriteReport({ home })(INPUT);
    expect(await reportOf(home)).toMatchObject({ best: { node: 'n10', kept: false, parameters: null } });
    expect(await readFile(runPaths(home, RUN).reportMarkdown, 'utf8')).toContain('Its program could not be read.');
  });

  it('keeps the parameters where only the program is gone', async () => {
    const home = await temporaryHome();
    await storeRun(home);
    await rm(runPaths(home, RUN).task, { recursive: true });
    await makeWriteReport({ home })(INPUT);
    expect(await reportOf(home)).toMatchObject({ best: { kept: false, parameters: [{}, {}, {}, {}] } });
  });

  it('says which run is missing', async () => {
    const home = await temporaryHome();
    await expect(makeWriteReport({ home })(INPUT)).rejects.toMatchObject({ type: 'ArtifactMissing', nonRetryable: true });
  });
});
