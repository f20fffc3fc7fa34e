import type { Runner } from './runner.ts';

/** Hashes, sections, tensor parallel plans and merges. */
export const SECTIONS: Readonly<Record<string, Runner>> = {};
