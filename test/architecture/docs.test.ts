import type { Command } from 'commander';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { attemptEnvironment } from '../../src/adapters/attempt-environment.ts';
import { attemptPaths } from '../../src/adapters/attempt-folder.ts';
import { withSets } from '../../src/adapters/config-sets.ts';
import { homePaths, runPaths } from '../../src/adapters/layout.ts';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';
import { EXIT_MEANING } from '../../src/cli/exit-codes.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { readConfig } from '../../src/domain/config-reading.ts';
import { configKeys, dottedKeys } from '../../src/domain/config-schema.ts';
import { ResultLine } from '../../src/domain/evaluation.ts';
import { FailureReason } from '../../src/domain/failure.ts';
import { Task } from '../../src/domain/task.ts';
import { deviceNamed, readyRun } from '../support/evaluations.ts';
import { anchorOf, readDocument, readDocuments, sectionOf, type Block, type Markdown } from '../support/markdown.ts';

/** What the documents say about the program is so: whatever they name exists under that name. */

const documents = readDocuments();
const readme = readDocument('README.md');
const experiments = readDocument('docs/experiments.md');
const architecture = readDocument('docs/architecture.md');
const read = (path: string) => readFileSync(join(PACKAGE_ROOT, path), 'utf8');
const Package = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
});
const { scripts, dependencies } = Package.parse(JSON.parse(read('package.json')));

/** Folders that are made at run time or by tools, and hold nothing that a document could point to. */
const MADE = ['node_modules', '.git', '.scientist', 'runs', '__pycache__', 'dist'];
const files = filesBelow('.');

function filesBelow(folder: string): string[] {
  return readdirSync(join(PACKAGE_ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (MADE.includes(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Every text in backticks and every line of a shell or YAML block. */
function codeOf({ codes, blocks }: Markdown): string[] {
  const shown = blocks.filter(({ language }) => language !== '');
  return [...codes, ...shown.flatMap(({ text }) => text.split('\n'))];
}

describe.each(documents.map((document) => [document.path, document] as const))('%s', (path, document) => {
  test('has no placeholder left', () => {
    expect(document.text.match(/@@\w*|\bTODO\b|\bTBD\b|\bXXX\b/g) ?? []).toEqual([]);
  });

  test('links to files and headings that are there', () => {
    const broken = document.links.filter((link) => !/^https:\/\//.test(link)).filter((link) => !isThere(path, link));
    expect(broken).toEqual([]);
  });

  test('names paths that are in the project, or that the program makes', () => {
    const paths = document.codes.filter(looksLikePath);
    expect(paths.filter((code) => !isProjectPath(code) && !isMadePath(code))).toEqual([]);
  });

  test('names npm scripts and benches that are there', () => {
    const named = codeOf(document).flatMap((code) =>
      [...code.matchAll(/npm run (?:-\S+ )*([\w:-]+)/g)].map(([, name = '']) => name),
    );
    const short = codeOf(document).flatMap((code) => /^npm (start|test)\b/.exec(code)?.[1] ?? []);
    expect([...named, ...short].filter((name) => !(name in scripts))).toEqual([]);
    const benches = codeOf(document).flatMap((code) => /npm run bench -- ([\w-]+)/.exec(code)?.[1] ?? []);
    expect(benches.filter((name) => !files.includes(`bench/${name}.ts`))).toEqual([]);
  });

  test('uses commands and options that the program has', () => {
    expect(codeOf(document).flatMap(wrongUses)).toEqual([]);
  });

  test('uses config keys that there are, with values that fit', () => {
    const sets = codeOf(document).flatMap((code) =>
      [...code.matchAll(/--set ([\w.]+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value] as const),
    );
    const problems = sets.flatMap(([key, value]) => problemsOf(withSets({ task: 'probe' }, { [key]: value }).value));
    expect(problems).toEqual([]);
    const known = dottedKeys(configKeys());
    const sections = [...configKeys()].flatMap(([name, { keys }]) => (keys === null ? [] : [name]));
    const named = document.codes.filter(
      (code) => /^[a-z_]+(\.[a-z_0-9]+)+$/.test(code) && sections.includes(code.split('.')[0] ?? ''),
    );
    expect(named.filter((key) => !known.includes(key))).toEqual([]);
    const yaml = document.blocks.filter((block) => block.language === 'yaml' && !isTask(block));
    expect(yaml.flatMap(({ text }) => problemsOf(parse(text)))).toEqual([]);
  });
});

function isThere(from: string, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const path = target === '' ? from : join(dirname(from), target);
  if (!existsSync(join(PACKAGE_ROOT, path))) return false;
  return anchor === undefined || readDocument(path).headings.map(anchorOf).includes(anchor);
}

/** Words, a name with an ending, or words with slashes between; no commands, packages, keys or patterns. */
function looksLikePath(code: string): boolean {
  if (/^(?:[\w.<>-]+\/)+[\w.<>*-]*$/.test(code)) return true;
  return /^[\w-]+\.(?:ts|mjs|js|json|jsonl|md|yaml|py|html|log)$/.test(code);
}

/** A path from the root or from `src`, or the name of a file of the project; `<word>` stands for any name. */
function isProjectPath(code: string): boolean {
  const fixed = code.replace(/<.*$/, '').replace(/\/$/, '');
  if (!code.includes('/')) return files.some((file) => basename(file) === code);
  return ['', 'src/'].some((root) => files.some((file) => file === root + fixed || file.startsWith(`${root}${fixed}/`)));
}

/** Something below a home that the program itself makes, by the one place where its paths are made; or a file of AI-Scientist-v2. */
function isMadePath(code: string): boolean {
  const ofRun = Object.values<unknown>({ ...runPaths({ root: '' }, '<run>') }).filter((path) => typeof path === 'string');
  const ofHome = Object.values<unknown>(homePaths({ root: '' })).filter((path) => typeof path === 'string');
  const paths = [...ofHome, ...ofRun];
  const attempt = Object.values<string>({ ...attemptPaths('') });
  const others = ['exit.json', 'result.json', 'origin.json', 'bfts_config.yaml'];
  if (!code.includes('/')) return [...paths, ...attempt, ...others].some((path) => basename(path) === code);
  return code.startsWith('/proc') || paths.includes(code.replace(/\/$/, ''));
}

const program = buildProgram({
  io: { out: () => undefined, err: () => undefined, terminal: null, env: {}, home: { root: '' } },
  finish: () => undefined,
});
const commandNamed = (name: string): Command | undefined => program.commands.find((command) => command.name() === name);
const optionsOf = (command: Command): string[] => ['--help', ...command.options.map(({ long }) => long ?? '')];

/** What is wrong with the uses of the command in a piece of code. */
function wrongUses(code: string): string[] {
  const written = code.replace(/ #.*$/, '');
  const uses = [...written.matchAll(/(?:^|\s)(?:npm run (?:-s )?scientist --|scientist) (?!->)(.+?)(?=$|;|&&|\|)/g)].map(
    ([, use = '']) => use,
  );
  return [...uses, ...(wordsOfComment(code) ?? [])].flatMap((use) => wrongUse(use));
}

function wrongUse(use: string): string[] {
  const [name = '', ...rest] = use.trim().split(/\s+/);
  const options = rest.filter((word) => word.startsWith('--'));
  if (name.startsWith('--') || !/^[a-z]/.test(name)) return name === '--help' || name.startsWith('…') ? [] : [use];
  const command = commandNamed(name);
  if (command === undefined) return [`there is no command ${name}`];
  return options.filter((option) => !optionsOf(command).includes(option)).map((option) => `${name} has no ${option}`);
}

/** After `pause`, a comment lists its sisters. */
function wordsOfComment(code: string): string[] | undefined {
  return /scientist -- pause \S+ +# (.*)$/.exec(code)?.[1]?.split(', ');
}

function problemsOf(config: unknown): string[] {
  const reading = readConfig(config);
  return reading.status === 'read' ? [] : reading.problems.map(({ path, what }) => `${path.join('.')}: ${what}`);
}

function isTask({ heading }: Block): boolean {
  return heading === 'task.yaml';
}

describe('the README', () => {
  test('names every command of the program', () => {
    const named = readme.codes.map((code) => code.replace(/^npm run scientist -- /, '').split(' ')[0]);
    const missing = program.commands.map((command) => command.name()).filter((name) => !named.includes(name));
    expect(missing).toEqual([]);
  });

  test('names only commands in its list of them', () => {
    const { codes } = sectionOf(readme, 'The command');
    const names = codes.filter((code) => /^[a-z]+(?:-[a-z]+)*$/.test(code));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => commandNamed(name) === undefined)).toEqual([]);
    const options = codes.filter((code) => /^--[a-z-]+$/.test(code));
    expect(options.filter((option) => !program.commands.some((command) => optionsOf(command).includes(option)))).toEqual([]);
  });

  test('gives the exit codes that there are', () => {
    const written = /Exit codes:([^.]*)\./.exec(readme.text)?.[1] ?? '';
    const codes = [...written.matchAll(/\b\d+\b/g)].map(([code]) => Number(code));
    expect(codes).toEqual(Object.keys(EXIT_MEANING).map(Number));
  });
});

describe('docs/experiments.md', () => {
  test('shows a task file that is one', () => {
    const [block] = experiments.blocks.filter(isTask);
    const parsed = Task.safeParse(parse(block?.text ?? ''));
    expect(parsed.error?.issues ?? []).toEqual([]);
  });

  test('says of every key of a component what there is', () => {
    const text = sectionOf(experiments, 'task.yaml').codes;
    expect(
      ['choice', 'int', 'float', 'bool', 'default', 'group', 'ablated', 'when', 'about'].filter((word) => !text.includes(word)),
    ).toEqual([]);
  });

  test('lists the variables of the contract, all of them and no other', async () => {
    const { home, run, input } = await readyRun({ program: 'value.py' });
    const facts = { home, run, input, device: deviceNamed('cpu0'), paths: attemptPaths('/a'), checkpoint: '/c' };
    const contract = Object.keys(attemptEnvironment(facts, {})).filter((name) => name.startsWith('SCIENTIST_'));
    const listed = [...experiments.text.matchAll(/^\| *`(SCIENTIST_\w+)` *\|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(contract.sort());
  });

  test('shows lines of results.jsonl that are ones', () => {
    const lines = experiments.blocks.filter(({ language }) => language === 'json').flatMap(({ text }) => text.split('\n'));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => !ResultLine.safeParse(JSON.parse(line)).success)).toEqual([]);
  });

  test('uses what the Python helper has', () => {
    const helper = read('python/scientist_experiment.py');
    const used = experiments.blocks
      .filter(({ language }) => language === 'python')
      .flatMap(({ text }) => [...text.matchAll(/\bexp\.(\w+)/g)].map(([, name = '']) => name));
    expect(used.length).toBeGreaterThan(2);
    expect(used.filter((name) => !new RegExp(`def ${name}\\(self|self\\.${name} = `).test(helper))).toEqual([]);
  });

  test('names every reason of a failed node', () => {
    expect(FailureReason.options.filter((reason) => !experiments.codes.includes(reason))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const rows = (section: string): string[][] =>
    sectionOf(architecture, section)
      .text.split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.split('|').map((cell) => cell.trim()));

  test('has a room for every folder of the source', () => {
    const rooms = rows('Rooms').map(([, room = '']) => room);
    expect(readdirSync(join(PACKAGE_ROOT, 'src')).filter((name) => !rooms.includes(`\`src/${name}\``))).toEqual([]);
  });

  test('finds each numbered invariant where it says that it lives', () => {
    const places = [...architecture.text.matchAll(/\b([A-Z])(\d)(?:–\1(\d))? in\s+`([^`]+)`/g)];
    expect(places.length).toBeGreaterThan(5);
    const missing = places.flatMap(([, letter = '', first = '', last = first, path = '']) => {
      const text = read(`src/${path}`);
      const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
      return numbers.map((number) => `${letter}${number}`).filter((name) => !new RegExp(`^ \\*  ?${name} `, 'm').test(text));
    });
    expect(missing).toEqual([]);
  });

  test('gives a reason for every package that the program depends on', () => {
    const named = rows('Dependencies, each with its reason').flatMap(([, cell = '']) => cell.match(/[@\w/*-]+(?=`)/g) ?? []);
    const isNamed = (name: string): boolean =>
      named.some((pattern) => pattern === name || (pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1))));
    expect(Object.keys(dependencies).filter((name) => !isNamed(name))).toEqual([]);
    expect(architecture.text).toContain(`\`@temporalio/*\` ${dependencies['@temporalio/client'] ?? ''},`);
  });
});
