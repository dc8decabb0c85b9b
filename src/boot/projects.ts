import { DEFAULT_PROJECT } from '../access/access.ts'
import type { Project } from '../http/context.ts'
import { openProject, type Shared } from './project.ts'

/** How often it is looked for projects that other processes have made: their batches may need a process to go on with them. */
const LOOK_MS = 15_000

/** The open projects of this process: each is opened once, when it is first asked for. Fails where the default project cannot be opened. */
export async function openProjects(shared: Shared) {
  const main = await openProject(shared, DEFAULT_PROJECT)
  const opened = new Map<string, Promise<Project>>([[DEFAULT_PROJECT, Promise.resolve(main)]])
  const started = new Set<Project>()
  const troubled = new Set<string>()
  const unusable = new Set<string>()
  const stopping = new AbortController()
  let isRunning = false

  async function startOnce(project: Project): Promise<void> {
    if (!isRunning || started.has(project)) return
    started.add(project)
    await project.batches.start()
  }

  async function openOne(name: string): Promise<Project> {
    const project = await openProject(shared, name)
    try {
      await startOnce(project)
      return project
    } catch (error) {
      // It will be opened anew; left open, each try would leave a connection, and a row of a process that seems to live.
      started.delete(project)
      await project.close().catch(() => undefined)
      throw error
    }
  }

  /** Rejects with a StorageError where it cannot be opened: the next call tries again. */
  function open(name: string): Promise<Project> {
    const known = opened.get(name)
    if (known !== undefined) return known
    const opening = openOne(name)
    opened.set(name, opening)
    opening.then(
      () => unusable.delete(name),
      () => {
        opened.delete(name)
        unusable.add(name)
      },
    )
    return opening
  }

  /** Those that could be opened. */
  async function all(): Promise<readonly Project[]> {
    const settled = await Promise.allSettled(opened.values())
    return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }

  /** Tells of each that cannot be opened once. */
  async function openAll(): Promise<void> {
    const tell = (project: string, error: unknown) => {
      if (!troubled.has(project)) shared.onTrouble({ project, batch: '', error })
      troubled.add(project)
    }
    try {
      for (const name of await shared.pool.list()) await open(name).catch((error: unknown) => tell(name, error))
    } catch (error) {
      tell('', error)
    }
  }

  async function look(): Promise<void> {
    for (;;) {
      await shared.clock.sleep(LOOK_MS, stopping.signal).catch(() => undefined)
      if (stopping.signal.aborted) return
      await openAll()
    }
  }

  const end = () => {
    isRunning = false
    stopping.abort()
  }

  return {
    main,
    open,
    all,
    /** Opens what there is, and goes on with all their batches; a project that cannot be opened is a trouble, and only its own. */
    async start(): Promise<void> {
      // What is opened from here on starts by itself.
      isRunning = true
      await Promise.all((await all()).map(startOnce))
      shared.work?.start({ main, open, opened: () => started })
      if (!shared.adopts) return
      await openAll()
      void look()
    },
    /** No batch begins anything more; resolves once nothing of theirs is in flight. */
    async stop(): Promise<void> {
      end()
      await shared.work?.stop()
      await Promise.all((await all()).map(({ batches }) => batches.stop()))
    },
    /** How many could not be opened when it was last tried. */
    unusable: () => unusable.size,
    async close(): Promise<void> {
      end()
      const parts = [...(await all()), shared.pool]
      const closed = await Promise.allSettled(parts.map((part) => part.close()))
      const failed = closed.find((one) => one.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    },
  }
}
