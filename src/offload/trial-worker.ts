import { serveWorker } from './serve-worker.ts'
import { doTrialJob } from './trial-work.ts'

serveWorker(doTrialJob)
