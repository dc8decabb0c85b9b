import { serveWorker } from '../../src/offload/serve-worker.ts'

serveWorker(
  (input: {
    readonly say?: string
    readonly throw?: string
    readonly exit?: number
    readonly fill?: boolean
    readonly forever?: boolean
  }) => {
    while (input.forever === true);
    if (input.throw !== undefined) throw new Error(input.throw)
    if (input.exit !== undefined) process.exit(input.exit)
    const held: number[][] = []
    while (input.fill === true) held.push(new Array(1_000_000).fill(held.length))
    return `said ${input.say}`
  },
)
