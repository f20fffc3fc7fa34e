import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';

/** How often; the worker passes on what its heartbeat time-out needs. */
const BEAT_MS = 1000;

/**
 * An interceptor that beats for activities which have nothing to tell, so that a worker killed in the middle
 * of one is noticed by the heartbeat time-out instead of the whole time that the activity may take.
 */
export function beating(context: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const timer = setInterval(() => {
          context.heartbeat();
        }, BEAT_MS);
        try {
          return await next(input);
        } finally {
          clearInterval(timer);
        }
      },
    },
  };
}
