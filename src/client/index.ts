/** The client of a running service, for Node.js, Deno, Bun and browsers: it needs `fetch` and nothing else. docs/clients.md shows how. */
export type { Answer, Given, Items } from './calls.ts'
export type * from './contract.ts'
export { ServiceError, UnreachableError, VeridictError } from './errors.ts'
export { type CallOptions, isSettled, type RetryPolicy } from './persist.ts'
export { type RemoteOptions, remote } from './remote.ts'
export type * from './veridict.ts'
