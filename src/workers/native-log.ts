import { makeTelemetryFilterString } from '@temporalio/worker';

/**
 * What the native part of the SDK logs. Each stage ends while its watch on the devices still runs, and the native
 * part would warn of that each time, as of an activity that nobody knows.
 */
export const NATIVE_LOG_FILTER = `${makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' })},temporalio_sdk_core::worker::activities=ERROR`;
