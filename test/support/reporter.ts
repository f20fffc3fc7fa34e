import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints `N passed, N failed` as the very last line, whatever else reports. A file that does not load and an
 * error outside any test count as failed, so that the line can never look better than the exit code.
 */
export class CountReporter implements Reporter {
  private passed = 0;
  private failed = 0;

  onInit(): void {
    process.on('exit', () => process.stdout.write(`${this.passed} passed, ${this.failed} failed\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    this.passed = modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0);
    const failedTests = modules.reduce((sum, module) => sum + [...module.children.allTests('failed')].length, 0);
    const failedFiles = modules.filter((module) => module.errors().length > 0).length;
    this.failed = failedTests + failedFiles + unhandled.length;
  }
}
