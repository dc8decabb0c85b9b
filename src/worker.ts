import { startWorker } from './boot/worker.ts'
import { startIfMain } from './cli/client/main.ts'

startIfMain(import.meta.url, startWorker, 'VERIDICT_WORKER_PORT')
