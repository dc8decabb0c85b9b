import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { batchJudgeAt, judgeAt, startMockCalls } from '../e2e/mock-calls.ts'
import { type ServiceProcess, type ServiceSettings, spawnService, tempFolder } from '../e2e/service-process.ts'
import { answerBatchRequest } from '../e2e/trials.ts'
import { startMockBatches } from '../mock-provider/batches.ts'
import type { FaultPlan } from './fault-plan.ts'
import { spawnVictim } from './victim.ts'

/** The played provider as far as the promises need it. */
export interface Provider {
  /** For VERIDICT_CONFIG. */
  readonly config: object
  /** Questions that it has answered: what would be billed. */
  billed(): number
}

/** One run of an operation: a file, a provider and a service of its own. */
export interface World {
  readonly folder: string
  readonly database: string
  readonly provider: Provider
}

/**
 * One thing that a user does. `act` does it against a service that may die or refuse at any time, and answers with what was
 * acknowledged; `complete` does, against a sound service, whatever a user would do then; `verify` answers what is wrong at the end.
 */
export interface Operation<Ack> {
  readonly name: string
  /** What a user is promised, for the table. */
  readonly promise: string
  /** Makes the file from which it starts; none: an empty one. */
  readonly template?: () => Promise<string>
  readonly provide: () => Promise<Provider>
  readonly act: (origin: string, world: World, gone: AbortSignal) => Promise<Ack | null>
  readonly complete: (origin: string, world: World, ack: Ack | null) => Promise<unknown>
  readonly verify: (end: unknown, world: World, ack: Ack | null) => readonly string[]
  /** Questions of an undisturbed run. */
  readonly calls: number
  /** Questions that are out at once, each of which a kill may cost. */
  readonly at_once: number
  /** Whether errors are played too, or kills alone. */
  readonly errors: boolean
  /** A fresh service goes on with it by itself; else counting begins at the start of the process. */
  readonly from?: FaultPlan['from']
}

// biome-ignore lint/suspicious/noExplicitAny: what is acknowledged is the operation’s own affair
export type AnyOperation = Operation<any>

export async function makeWorld(operation: AnyOperation, template: string | null): Promise<World> {
  const folder = tempFolder()
  const database = join(folder, 'veridict.sqlite')
  if (template !== null) copyFileSync(template, database)
  return { folder, database, provider: await operation.provide() }
}

const settingsOf = ({ database, provider }: World): ServiceSettings => ({ database, config: provider.config })

export const startVictim = (world: World, plan: FaultPlan): ServiceProcess => spawnVictim(settingsOf(world), plan)
export const startSound = (world: World): ServiceProcess => spawnService(settingsOf(world))

/** Plays single calls, so many at once. */
export const provideCalls =
  (concurrency: number, latency_ms = 0) =>
  async (): Promise<Provider> => {
    const mock = await startMockCalls({ latency_ms: () => latency_ms })
    return { config: { judges: judgeAt(mock.base_url, concurrency) }, billed: () => mock.calls.length }
  }

/** Plays the batch endpoint of a provider, whose first look finds a batch running. */
export const provideBatches = (provider: 'openai' | 'anthropic') => async (): Promise<Provider> => {
  const mock = await startMockBatches({ plan: () => ({ polls: 1 }), answer: answerBatchRequest })
  return { config: batchJudgeAt(provider, mock.origin), billed: () => mock.counts.requests_run }
}

/** Makes a file by a sound service, at rest, for the runs of one test to start from. */
export const makeTemplate =
  (provide: () => Promise<Provider>, work: (origin: string) => Promise<unknown>) => async (): Promise<string> => {
    const database = join(tempFolder(), 'template.sqlite')
    const service = spawnService({ database, config: (await provide()).config })
    await work(await service.ready)
    const code = await service.stop()
    if (code !== 0) throw new Error(`the template’s service ended with ${code}`)
    return database
  }
