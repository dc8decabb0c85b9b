import { createHmac, randomBytes } from 'node:crypto'
import { createAccess } from '../access/stored-access.ts'
import type { BatchListener } from '../batches/engine-deps.ts'
import type { Context } from '../http/context.ts'
import type { Stores } from '../ports/ports.ts'
import { answerConfig, DEFAULT_RUBRIC } from './answer-config.ts'
import { openProjects } from './projects.ts'
import { type ContextOptions, gatherShared } from './shared.ts'

/** Derives the secret of sessions from the secret of the database, so that every process signs alike. */
const sessionSecret = async ({ renderingSecret }: Stores['secrets']): Promise<string> =>
  createHmac('sha256', await renderingSecret(() => randomBytes(32)))
    .update('sessions of browsers')
    .digest('hex')

/** The one composition root. Fails with a message that says what to do; never starts half. */
export async function buildContext(options: ContextOptions): Promise<Context> {
  const { config } = options
  const listeners = new Set<BatchListener>()
  const shared = await gatherShared(options, {
    onTrouble: (trouble) => listeners.forEach((one) => void one.onTrouble?.(trouble)),
    onStatus: (project, batch) => listeners.forEach((one) => void one.onStatus?.(project, batch)),
    onItem: (outcome) => listeners.forEach((one) => void one.onItem?.(outcome)),
  })
  const { judges, unready, rubrics, clock } = shared
  const projects = await openProjects(shared).catch(async (error: unknown) => {
    await shared.pool.close()
    throw error
  })
  return {
    config,
    answer_config: answerConfig(config, judges, rubrics),
    judges,
    unready,
    rubrics,
    default_rubric: DEFAULT_RUBRIC,
    access: createAccess({
      store: projects.main.stores.access,
      required: config.access.required,
      project: config.project,
      session_secret: await sessionSecret(projects.main.stores.secrets),
      now: () => clock.now(),
    }),
    main: projects.main,
    project: (name) => projects.open(name),
    unusableProjects: () => projects.unusable(),
    start: () => projects.start(),
    stop: () => projects.stop(),
    listen: (listener) => void listeners.add(listener),
    clock,
    newId: shared.newId,
    tracing: shared.tracing,
    laneOf: shared.lanes.of,
    openProjects: () => projects.all(),
    close: () => projects.close(),
  }
}
