import { parentPort } from 'node:worker_threads'
import { type Cell, simulate } from './simulate.ts'

parentPort?.on('message', (cell: Cell) => parentPort?.postMessage(simulate(cell)))
