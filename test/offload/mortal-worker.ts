import { serveWorker } from '../../src/offload/serve-worker.ts'
import type { TrialJob } from '../../src/offload/trial-jobs.ts'
import { doTrialJob } from '../../src/offload/trial-work.ts'

/** As the worker of trials, but for lines and ground truths that say what becomes of it. */
serveWorker((job: TrialJob) => {
  const text =
    job.kind === 'line'
      ? Buffer.from(job.bytes).toString()
      : job.kind === 'sample'
        ? (job.question.ground_truth.instruction ?? '')
        : ''
  if (text.includes('the worker ends here')) process.exit(3)
  if (text.includes('the worker hangs here')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return doTrialJob(job)
})
