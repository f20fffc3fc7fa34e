import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DropReason, FailureReason } from '../../src/domain/failure.ts';
import { ItemId, nodeId, STAGE_NAMES } from '../../src/domain/ids.ts';
import { Operator } from '../../src/domain/item.ts';
import { JournalEvent } from '../../src/domain/journal.ts';
import { RunOutcome } from '../../src/domain/messages.ts';
import { CompletionReason } from '../../src/domain/stage.ts';
import { htmlReport } from '../../src/report/html.ts';
import { markdownReport } from '../../src/report/markdown.ts';
import { buildReport } from '../../src/report/model.ts';
import { ReportModel } from '../../src/report/schema.ts';
import { exampleReportInput } from '../support/example-run.ts';
import { HOSTILE_TEXTS } from '../support/hostile.ts';
import { evaluationIdOf, exampleRun, refOfNode } from '../support/journal.ts';

/** A report can be made of whatever part of whatever journal there is. */

const example = exampleReportInput();
const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 40 }));
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1, -1, 0.5, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324),
);
const id = fc.integer({ min: 1, max: 6 });
const stage = fc.constantFrom(...STAGE_NAMES);
const dataset = fc.constantFrom('digits', 'breast_cancer', 'wine', 'plot');

const record = fc
  .record({
    id,
    dataset,
    value: fc.option(number),
    figures: fc.integer({ min: 0, max: 3 }),
    cached: fc.boolean(),
    text,
    durationMs: fc.oneof(fc.nat(), fc.constant(Number.MAX_VALUE)),
  })
  .map(({ id: node, dataset: name, value, text: message, ...rest }) => {
    const outcome = { evaluation: evaluationIdOf(node, name, 7), attempt: '1.1', device: 'cpu0', peakMemoryMiB: null, ...rest };
    const result =
      value === null
        ? { status: 'failed', reason: 'exception', message, exitCode: null, signal: null, ...outcome }
        : { status: 'finished', value, ...outcome };
    return { dataset: name, seed: 7, result };
  });
const evaluations = fc.array(record, { maxLength: 4 });

const node = fc
  .record({
    id,
    parent: fc.option(id),
    stage,
    operator: fc.constantFrom(...Operator.options),
    label: text,
    metric: fc.option(number),
    reason: fc.constantFrom(...FailureReason.options),
    message: text,
    changed: fc.subarray(['model.c', 'model.family', 'train.py', 'features.scaler']),
    hasExperiment: fc.boolean(),
  })
  .map(({ metric, reason, message, hasExperiment, id: number_, parent, ...rest }) => {
    const core = {
      ...rest,
      id: nodeId(number_),
      parent: parent === null ? null : nodeId(parent),
      item: ItemId.parse('x#0'),
      debugDepth: 0,
    };
    const experiment = refOfNode(number_);
    return metric === null
      ? { status: 'buggy', ...core, reason, message, experiment: hasExperiment ? experiment : null }
      : { status: 'good', ...core, metric, scores: { digits: metric }, experiment };
  });

const nodeIdOf = id.map(nodeId);
const event = fc
  .oneof(
    fc.record({ kind: fc.constant('stage_started'), carried: fc.option(nodeIdOf) }),
    fc.record({ kind: fc.constant('base'), node, evaluations }),
    fc.record({ kind: fc.constant('node'), node, plan: text, evaluations }),
    fc.record({ kind: fc.constant('replica'), node: nodeIdOf, replica: fc.nat(4), metric: fc.option(number), evaluations }),
    fc.record({ kind: fc.constant('plot'), node: nodeIdOf, evaluations }),
    fc.record({
      kind: fc.constant('dropped'),
      item: fc.constant(ItemId.parse('tune:n1:a#0')),
      reason: fc.constantFrom(...DropReason.options),
      message: text,
    }),
    fc.record({ kind: fc.constant('steered'), message: text }),
    fc.record({
      kind: fc.constant('stage_finished'),
      reason: fc.constantFrom(...CompletionReason.options),
      text,
      best: fc.option(nodeIdOf),
    }),
  )
  .chain((body) => fc.record({ seq: fc.nat(), stage }).map((head) => JournalEvent.parse({ ...head, ...body })));

const TAGS = new Set(
  'html head meta link title style body header main footer nav section h1 h2 h3 p span b code a ul ol li div details summary table caption thead tbody tr th td figure figcaption img svg line path circle text'.split(
    ' ',
  ),
);

/** Makes all three reports and checks what holds for every one. */
function checkReport(events: readonly JournalEvent[], outcome: RunOutcome, minimize = false): void {
  const resolved = minimize ? exampleRun({ direction: 'minimize' }) : example.run;
  const model = buildReport({ resolved, events, outcome, stages: [], experiments: example.experiments });
  expect(ReportModel.parse(JSON.parse(JSON.stringify(model)))).toEqual(JSON.parse(JSON.stringify(model)));
  checkCounts(model, events);
  const figures = new Map(
    model.stages
      .flatMap((part) => part.figures)
      .map(({ folder }) => [folder, [{ name: 'a.png', href: `${folder}/a.png`, dataUri: null }]]),
  );
  const markdown = markdownReport(model, figures);
  expect(markdown).not.toMatch(/<(script|img|svg|h1)/i);
  const page = htmlReport(model, figures);
  expect(page).not.toMatch(/undefined|NaN|Infinity/);
  checkTags(page);
}

/** Only tags that the report has by itself, each of them closed, none with a handler. */
function checkTags(page: string): void {
  const open: string[] = [];
  for (const [tag, close, name = '', attributes = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)([^<>]*)>/gi)) {
    expect(TAGS.has(name), tag).toBe(true);
    expect(attributes).not.toMatch(/\son\w+=/i);
    if (close === '/') expect(open.pop()).toBe(name);
    else if (!attributes.endsWith('/')) open.push(name);
  }
  expect(open).toEqual([]);
  expect(page.match(/<(?![a-z/!])/gi)).toBeNull();
}

function checkCounts(model: ReportModel, events: readonly JournalEvent[]): void {
  const metrics = new Set(
    events.flatMap((one) =>
      'node' in one && typeof one.node === 'object' && one.node.status === 'good' ? [one.node.metric] : [],
    ),
  );
  const replicas = new Set(events.flatMap((one) => (one.kind === 'replica' && one.metric !== null ? [one.metric] : [])));
  for (const row of model.stages.flatMap(({ tree }) => tree)) {
    if (row.metric !== null) expect(metrics.has(row.metric)).toBe(true);
    expect(row.estimate.values.every(({ value }) => replicas.has(value))).toBe(true);
    expect(row.estimate.values.every(({ seed }) => seed !== model.run.searchSeed)).toBe(true);
  }
  for (const part of model.stages) {
    expect(part.counts.good + part.counts.buggy).toBe(part.counts.nodes);
    expect(part.failures.reduce((sum, { count }) => sum + count, 0)).toBe(part.counts.buggy);
  }
}

describe('a report', () => {
  it('can be made of every beginning of a journal', () => {
    for (let length = 0; length <= example.events.length; length++) checkReport(example.events.slice(0, length), 'stopped');
  });

  it('can be made of any part of a journal in any order', () => {
    const parts = fc.shuffledSubarray([...example.events]);
    fc.assert(
      fc.property(parts, fc.constantFrom(...RunOutcome.options), (events, outcome) => {
        checkReport(events, outcome);
      }),
      { numRuns: 60 },
    );
  });

  it('can be made of any valid events at all, with hostile texts and extreme numbers', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), fc.boolean(), (events, minimize) => {
        checkReport(events, 'completed', minimize);
      }),
      { numRuns: 150 },
    );
  });

  it('is the same for the same input', () => {
    const input = {
      resolved: example.run,
      events: example.events,
      outcome: 'completed',
      stages: [],
      experiments: example.experiments,
    } as const;
    expect(buildReport(input)).toEqual(buildReport(structuredClone({ ...input, experiments: new Map(input.experiments) })));
  });
});
