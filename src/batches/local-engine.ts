import type { BatchRecord, NewBatch } from '../ports/batch-ports.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import { AGAIN_MS, type BatchEngine, type EngineDeps, type GrowingBatch } from './engine.ts'
import { ItemQueue } from './run/item-queue.ts'
import type { Run } from './run/run.ts'
import { BatchRunner } from './run/runner.ts'

/** Items that may wait for the judge before reading slows down, and for how long it then rests. */
const FAR_AHEAD = 128
const REST_MS = 20

const COMMAND_STOPPED = 'the command that ran it was stopped'

/** Every batch is run whole by one process, which claims it. */
export class LocalEngine implements BatchEngine {
  private readonly deps: EngineDeps
  private readonly running = new Map<string, { readonly runner: BatchRunner; readonly ended: Promise<void> }>()
  private readonly sleeping = new Map<string, AbortController>()
  /** Told to go on while they ran: by the end of that run it may have become a word to those that sleep. */
  private readonly told = new Set<string>()
  private readonly stopping = new AbortController()

  constructor(deps: EngineDeps) {
    this.deps = deps
  }

  private get store() {
    return this.deps.stores.batches
  }

  /** A draft that was graded as it arrived may have been given up meanwhile: as a batch it is parked properly, or goes on. */
  begin(id: string): Promise<void> {
    this.rouse(id)
    if (this.running.get(id)?.runner.isParking) this.told.add(id)
    return this.goOn(id, null)
  }

  grow(draft: NewBatch): GrowingBatch {
    const source = new ItemQueue(this.store, draft.id, null, true)
    const { runner, ended } = this.run({ ...draft, status: 'running' }, draft.payer, source)
    return {
      add: async (items) => {
        source.feed(items.map((item) => ({ ...item, batch: draft.id })))
        runner.wake()
        if (source.backlog > FAR_AHEAD) await this.deps.clock.sleep(REST_MS)
      },
      close() {
        source.close()
        runner.wake()
      },
      abandon() {
        runner.stop()
        return ended
      },
    }
  }

  async cancel(id: string): Promise<void> {
    this.rouse(id)
    const running = this.running.get(id)
    if (running !== undefined) running.runner.cancel()
    else await this.launch(id)
  }

  async resume({ id, status }: BatchRecord): Promise<void> {
    this.rouse(id)
    if (this.running.has(id)) this.told.add(id)
    if (status === 'parked') {
      this.deps.resumeLanes()
      await this.store.resume(id)
    }
    await this.launch(id)
  }

  async inFlight({ id }: BatchRecord): Promise<number> {
    return this.running.get(id)?.runner.inFlight ?? 0
  }

  start(): Promise<void> {
    return this.deps.adopts ? this.adopt() : Promise.resolve()
  }

  async look(): Promise<void> {
    for (const id of [...this.sleeping.keys()]) await this.rouseIfTold(id)
    if (this.deps.adopts) await this.adopt()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    for (const { runner } of this.running.values()) runner.stop()
    await Promise.all([...this.running.values()].map((one) => one.ended))
  }

  private async adopt(): Promise<void> {
    for (const id of await this.store.listUnclaimed()) await this.launch(id)
  }

  /** Runs the batch here, if nobody else does. */
  private async launch(id: string): Promise<void> {
    if (this.running.has(id) || this.sleeping.has(id) || this.stopping.signal.aborted) return
    if (!(await this.store.claim(id))) return
    const [batch, payer] = await Promise.all([this.store.get(id), this.store.payer(id)])
    if (batch === null || this.running.has(id)) return
    if (this.stopping.signal.aborted) return this.store.release(id)
    if (batch.status === 'parked') {
      if (batch.resumes_at !== null) this.sleepUntil(id, new Date(batch.resumes_at))
      return
    }
    this.run(batch, payer, new ItemQueue(this.store, id))
  }

  private run(batch: Run['batch'], payer: Payer | null, source: ItemQueue) {
    const { id } = batch
    const { notify, onTrouble } = this.deps
    const runner = new BatchRunner(
      {
        ...this.deps,
        onChange: () => notify(id),
        onError: (error, item) => onTrouble({ batch: id, item: item.item_id, error }),
      },
      { batch, payer, source, isShared: false, mayGoOn: async () => source.isOpen || this.store.claim(id) },
    )
    const run = { runner, ended: this.see(id, runner) }
    this.running.set(id, run)
    return run
  }

  /** Waits for the end of a run and does what it asks for. Never rejects. */
  private async see(id: string, runner: BatchRunner): Promise<void> {
    let again: Date | null = null
    try {
      const end = await runner.run()
      if (end.kind === 'parked') again = end.resumes_at
      // Stopped by a person, who does not want a service on the same database to go on with it, and to pay.
      if (end.kind === 'stopped' && this.stopping.signal.aborted && !this.deps.adopts)
        await this.store.park(id, COMMAND_STOPPED, null)
      // Another process may be told to go on with it.
      if (end.kind === 'stopped' || (end.kind === 'parked' && again === null)) await this.store.release(id)
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
      again = new Date(this.deps.clock.now().getTime() + AGAIN_MS)
    }
    this.running.delete(id)
    await this.goOn(id, again)
    this.deps.notify(id)
  }

  /** Somebody may have told it to go on while it was being parked. */
  private async goOn(id: string, again: Date | null): Promise<void> {
    try {
      const isTold = this.told.delete(id)
      if (isTold) await this.store.resume(id)
      const status = (await this.store.get(id))?.status
      const goesOn = status === 'running' && (again === null || isTold)
      if (status === 'cancelling' || goesOn) return await this.launch(id)
      if (again !== null) this.sleepUntil(id, again)
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
      this.sleepUntil(id, new Date(this.deps.clock.now().getTime() + AGAIN_MS))
    }
  }

  private sleepUntil(id: string, at: Date): void {
    if (this.stopping.signal.aborted) return
    const { clock, onTrouble } = this.deps
    const waking = new AbortController()
    this.sleeping.set(id, waking)
    const signal = AbortSignal.any([waking.signal, this.stopping.signal])
    const wake = async () => {
      await clock.sleep(Math.max(0, at.getTime() - clock.now().getTime()), signal).catch(() => undefined)
      if (this.sleeping.get(id) === waking) this.sleeping.delete(id)
      if (signal.aborted) return
      await this.store.resume(id)
      await this.launch(id)
    }
    wake().catch((error: unknown) => {
      onTrouble({ batch: id, error })
      this.sleepUntil(id, new Date(clock.now().getTime() + AGAIN_MS))
    })
  }

  /** Its time is not waited for any more; `launch` may follow at once. */
  private rouse(id: string): void {
    this.sleeping.get(id)?.abort()
    this.sleeping.delete(id)
  }

  /** Another process may have told it to go on, or to stop: that one cannot run what this one has. */
  private async rouseIfTold(id: string): Promise<void> {
    const status = (await this.store.get(id))?.status
    if (status === 'parked') return
    this.rouse(id)
    await this.launch(id)
  }
}
