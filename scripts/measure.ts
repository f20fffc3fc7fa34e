import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Measures source files: lengths of files and functions, share of comments, documented exports, ways out of the
 * type system. `node scripts/measure.ts FOLDER` prints them; test/architecture/sizes.test.ts holds us to them.
 */

/** A place with a length in lines. */
export interface Measured {
  /** `path`, or `path:line name` for a function. */
  readonly where: string;
  readonly lines: number;
}

/** What was measured in a folder. */
export interface Measurement {
  readonly files: readonly Measured[];
  readonly functions: readonly Measured[];
  /** `path: name` of the exports without a doc comment; a type may share the comment of the schema of its name. */
  readonly undocumented: readonly string[];
  /** `path:line` of `any`, of `as` other than `as const`, and of `!`. */
  readonly escapes: readonly string[];
  /** Lines with code, and those with nothing but a comment. */
  readonly codeLines: number;
  readonly commentLines: number;
}

/** Measures every `.ts` file below `folder`; paths are given from there, in alphabetical order. */
export function measure(folder: string): Measurement {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const parts = paths.sort().map((path) => measureFile(path, readFileSync(join(folder, path), 'utf8')));
  return {
    files: parts.flatMap((part) => part.files),
    functions: parts.flatMap((part) => part.functions),
    undocumented: parts.flatMap((part) => part.undocumented),
    escapes: parts.flatMap((part) => part.escapes),
    codeLines: parts.reduce((sum, part) => sum + part.codeLines, 0),
    commentLines: parts.reduce((sum, part) => sum + part.commentLines, 0),
  };
}

/** Measures one file by its text. */
export function measureFile(path: string, text: string): Measurement {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const functions: Measured[] = [];
  const escapes: string[] = [];
  const line = (position: number) => tree.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    const start = line(node.getStart(tree));
    const name = functionName(node);
    if (name !== null) functions.push({ where: `${path}:${start} ${name}`, lines: line(node.end) - start + 1 });
    if (isEscape(node, tree)) escapes.push(`${path}:${start}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const lines = text.replace(/\n$/, '').split('\n');
  const code = linesWithCode(tree);
  const isComment = (content: string, index: number) => content.trim() !== '' && !code.has(index + 1);
  return {
    files: [{ where: path, lines: lines.length }],
    functions,
    undocumented: undocumented(tree).map((name) => `${path}: ${name}`),
    escapes,
    codeLines: code.size,
    commentLines: lines.filter(isComment).length,
  };
}

/** The name of a function with a block body; `null` for everything else. */
function functionName(node: ts.Node): string | null {
  if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined || !ts.isBlock(node.body)) return null;
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named?.getText() ?? '(unnamed)';
}

function isEscape(node: ts.Node, tree: ts.SourceFile): boolean {
  if (ts.isAsExpression(node)) return node.type.getText(tree) !== 'const';
  return node.kind === ts.SyntaxKind.AnyKeyword || ts.isNonNullExpression(node);
}

function linesWithCode(tree: ts.SourceFile): Set<number> {
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(tree);
    children.forEach(visit);
    if (children.length > 0 || node.end === node.getStart(tree)) return;
    const [from, to] = [node.getStart(tree), node.end].map((position) => tree.getLineAndCharacterOfPosition(position).line + 1);
    for (let at = from ?? 0; at <= (to ?? 0); at++) lines.add(at);
  };
  visit(tree);
  return lines;
}

function undocumented(tree: ts.SourceFile): string[] {
  const exported = tree.statements.filter(isExported).map((statement) => ({
    names: namesOf(statement),
    documented: ts.getJSDocCommentsAndTags(statement).length > 0,
  }));
  const documented = new Set(exported.filter((one) => one.documented).flatMap((one) => one.names));
  return exported.flatMap((one) => one.names).filter((name) => !documented.has(name));
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map((one) => one.name.getText());
  const name = ts.getNameOfDeclaration(statement as ts.DeclarationStatement);
  return name === undefined ? [] : [name.getText()];
}

function spread(list: readonly Measured[]): string {
  const sorted = list.map(({ lines }) => lines).sort((left, right) => left - right);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return `median ${at(0.5)}, 95% ${at(0.95)}, longest ${at(1)}`;
}

/** The measurement in a few lines for people. */
export function describeMeasurement(found: Measurement): string {
  const comments = Math.round((100 * found.commentLines) / Math.max(1, found.codeLines + found.commentLines));
  return [
    `${found.files.length} files, ${found.codeLines} lines of code, ${comments}% comments`,
    `lines of a file: ${spread(found.files)}`,
    `lines of a function: ${spread(found.functions)}`,
    `exports without a doc comment: ${found.undocumented.length}; any, as and !: ${found.escapes.length}`,
  ].join('\n');
}

if (import.meta.main) {
  for (const folder of process.argv.slice(2)) console.log(`${folder}\n${describeMeasurement(measure(folder))}`);
}
