import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServiceProcess, type ServiceSettings, spawnService, tempFolder } from '../e2e/service-process.ts'
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
