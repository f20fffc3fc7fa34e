import { z } from 'zod';

/** What a bundler can miscompile without any error: it did so once, silently, and dates became `Date` objects. */
const Input = z.strictObject({
  day: z.iso.date(),
  moment: z.iso.datetime(),
  count: z.coerce.number(),
  flag: z.coerce.boolean(),
  text: z.coerce.string(),
  amount: z.number().exactOptional(),
});

/** Parses its input inside the workflow sandbox and gives back what it read, or the number of problems. */
export async function parseInside(raw: unknown): Promise<{ data: unknown; problems: number }> {
  const parsed = Input.safeParse(raw);
  return Promise.resolve(
    parsed.success ? { data: parsed.data, problems: 0 } : { data: null, problems: parsed.error.issues.length },
  );
}
