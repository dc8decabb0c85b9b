import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ServiceProcess, type ServiceSettings, spawnService } from '../e2e/service-process.ts'
import { type FaultPlan, PLAN_VARIABLE, type Point } from './fault-plan.ts'

/** The environment of a process that is to meet a fault. */
export const victimEnv = (plan: FaultPlan): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${resolve('test/faults/inject.ts')}`,
  [PLAN_VARIABLE]: JSON.stringify(plan),
})

/** The real service, with a fault. */
export const spawnVictim = (settings: ServiceSettings, plan: FaultPlan): ServiceProcess =>
  spawnService({ ...settings, env: { ...settings.env, ...victimEnv(plan) } })

/** The points that a process has met, also one that is gone. */
export function readPoints(log: string): Point[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Point)
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
