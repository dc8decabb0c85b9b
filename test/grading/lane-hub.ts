import { createLane, type Lane, type LaneSettings } from '../../src/asking/lane/lane.ts'
import {
  type Heard,
  type SharedJudge,
  type SharedLimits,
  type Told,
  tellAt,
} from '../../src/asking/shared/shared-limits.ts'
import type { JudgeReply } from '../../src/ports/judge-ports.ts'
import type { Clock } from '../../src/ports/ports.ts'
import { simulation } from './lane-clock.ts'

/** What becomes of what is told: answered, refused, or counted although the answer is lost. */
type Fate = 'answered' | 'away' | 'unheard'

/** A process whose time can stand still: what comes for it meanwhile waits. */
export interface SimulatedProcess {
  readonly lane: Lane
  readonly looks: () => number
  stop(ms: number): void
  /** Nothing comes for it ever again. */
  die(): void
  /** A call: it takes this long at the provider, whatever becomes of the process. */
  call(party: string | null, ms: number, reply: JudgeReply | (() => JudgeReply)): ReturnType<Lane['call']>
}

/** Processes on one database, and the judge that they share, all in simulated time. */
export function createHub(settings: LaneSettings) {
  const { clock, run, now, sleeping } = simulation()
  let state: SharedJudge | null = null
  let fate: () => { fate: Fate; ms: number } = () => ({ fate: 'answered', ms: 2 })
  let made = 0
  let inFlight = 0
  let most = 0
  const started: { readonly process: string; readonly at: number }[] = []

  function open(): SimulatedProcess {
    made += 1
    const process = `p${made}`
    let standsUntil = 0
    let looks = 0
    /** Resolves once the process runs. */
    const runs = async () => {
      while (standsUntil > now()) await (Number.isFinite(standsUntil) ? clock.sleep(standsUntil - now()) : never())
    }
    const own: Clock = {
      now: clock.now,
      sleep: (ms, signal) => clock.sleep(ms, signal).then(runs),
    }
    async function tell(_judge: string, told: Told): Promise<Heard> {
      looks += 1
      const { fate: becomes, ms } = fate()
      await clock.sleep(ms / 2)
      const done = becomes === 'away' ? null : tellAt(state, process, told, now())
      if (done !== null) state = JSON.parse(JSON.stringify(done.state)) as SharedJudge
      await clock.sleep(ms / 2)
      await runs()
      if (done === null || becomes === 'unheard') throw new Error('the database is away')
      return done.heard
    }
    const limits: SharedLimits = { tell, close: async () => undefined }
    const lane = createLane(settings, own, { judge: 'j', limits, elapsed: now })
    return {
      lane,
      looks: () => looks,
      stop(ms) {
        standsUntil = Math.max(standsUntil, now() + ms)
      },
      die() {
        standsUntil = Number.POSITIVE_INFINITY
      },
      call: (party, ms, reply) =>
        lane.call(party, async () => {
          inFlight += 1
          most = Math.max(most, inFlight)
          started.push({ process, at: now() })
          const said = typeof reply === 'function' ? reply() : reply
          await clock.sleep(ms)
          inFlight -= 1
          await runs()
          return said
        }),
    }
  }
  return {
    open,
    run,
    now,
    clock,
    sleeping,
    started,
    most: () => most,
    inFlight: () => inFlight,
    state: () => state,
    /** From now on. */
    decide(next: typeof fate) {
      fate = next
    },
  }
}

const never = () => new Promise<never>(() => undefined)
