/** Something that set-up cannot mend by itself: one line that says what is wrong and what to do. Exit code 3. */
export class SetupProblem extends Error {}
