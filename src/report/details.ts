import type { Outcomes, RunStatus, StageStatus } from '../domain/messages.ts';
import type { MetricSpec } from '../domain/metric.ts';
import type { Node } from '../domain/node.ts';

/** A node in one line of Markdown, for the Web UI's current details. */
function nodeLine(node: Node | null, metric: MetricSpec): string {
  if (node === null) return 'none yet';
  const value = node.status === 'good' ? `${metric.name} ${node.metric.toPrecision(5)}` : node.reason;
  return `${node.id} (${node.operator}, ${node.label}): ${value}`;
}

/** What became of the items of a stage, as `2 committed, 1 timeout, 3 duplicate`; empty when there is nothing to say. */
export function outcomesText({ committed, cached, reasons, dropped }: Outcomes): string {
  const counts = Object.entries({ committed, ...reasons, ...dropped, cached });
  return counts.flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ');
}

/** The state of a stage as Markdown for the Web UI, well below its 20,000 bytes. */
export function stageDetails(status: StageStatus, metric: MetricSpec): string {
  const running = status.running
    .slice(0, 50)
    .map(
      ({ worker, item, node, doing }) =>
        `| ${worker} | ${node} | ${item.kind === 'node' ? item.operator : item.kind} | ${doing} |`,
    );
  const table =
    running.length === 0
      ? [status.waitingFor ?? 'nothing is running']
      : ['| worker | node | work | doing |', '| --- | --- | --- | --- |', ...running];
  const { good, buggy, replicas, plots } = status.outcomes;
  const others = outcomesText(status.outcomes);
  return [
    `**${status.stage}**: ${status.state}, ${status.nodes} of at most ${status.maxNodes} nodes (${good} good, ${buggy} buggy), ${replicas} replicas, ${plots} plots`,
    '',
    ...(others === '' ? [] : [`Outcomes: ${others}`, '']),
    `Best: ${nodeLine(status.best, metric)}`,
    '',
    `Base: ${nodeLine(status.base, metric)}`,
    '',
    ...table,
  ].join('\n');
}

/** The state of a run as Markdown for the Web UI. */
export function runDetails(status: RunStatus, best: Node | null, metric: MetricSpec): string {
  const finished = status.finished.map(
    ({ stage, text, best: found }) => `- **${stage}**: ${text}; best ${nodeLine(found, metric)}`,
  );
  const now = status.stage === null ? [] : [`- **${status.stage}**: ${status.state}`];
  return [`Run of task ${status.task}. Best so far: ${nodeLine(best, metric)}`, '', ...finished, ...now].join('\n');
}
