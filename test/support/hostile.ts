/** Texts that a program or a model could leave in a plan, a label or a message, each with its own way out. */
export const HOSTILE_TEXTS: readonly string[] = [
  `<script>document.title='owned'</script>`,
  `<img src=x onerror="document.title='owned'">`,
  `"><svg onload=alert(1)>`,
  `</style></title></details><h1>owned</h1>`,
  `<!-- open comment`,
  `&lt;script&gt; &amp; &#60;`,
  `[click](javascript:alert(1)) ![x](http://evil.invalid/a.png)`,
  '| cell | breaks |\n|---|---|',
  '```\n# heading\n```',
  '`` code <b>',
  '\u001b[31mred\u001b[0m\u0000',
  'left\u202Eright\u2066x',
  '\uD800 lone surrogate',
  '{{7*7}} ${7*7} <%= 7 %>',
  'a'.repeat(190),
  '',
];
