interface Binding<T> {
  /** Absent: it is not known which. */
  readonly value?: T
  readonly isSure: boolean
  readonly isExported: boolean
  /** The count of settings when it was set. */
  readonly at: number
}

/** What names were. */
type Before<T> = Map<string, Binding<T> | undefined>

/**
 * The variables, or the functions, of a script. One that is set where it is not sure that it runs, or before a file that may set it, has its value
 * only perhaps: what is put together from it, and what it decides, is a guess.
 */
export class Bindings<T> {
  /** How often such a value was read. */
  guesses = 0
  /** Whether a value was ever set that `leaves`. */
  mayLeave = false
  private readonly all = new Map<string, Binding<T>>()
  /** What to put back when the function ends; null: none runs. */
  private locals: Before<T> | null = null
  /** What to put back when the process ends; null: in that of the script. */
  private undo: Before<T> | null = null
  /** The names that were set, one after the other. */
  private readonly log: string[] = []
  private doubted = { all: 0, notExported: 0, unset: false }
  private readonly leaves: (value: T) => boolean

  /** `leaves`: whether a value may leave the script where it is run. */
  constructor(leaves: (value: T) => boolean = () => false) {
    this.leaves = leaves
  }

  /** How often one was set. */
  get count(): number {
    return this.log.length
  }

  has(name: string): boolean {
    return this.all.has(name)
  }

  get(name: string): T | undefined {
    const known = this.all.get(name)
    if (known === undefined) return undefined
    const { isSure, isExported, at } = known
    if (!isSure || at <= this.doubted.all || (!isExported && at <= this.doubted.notExported)) this.guesses++
    return known.value
  }

  set(name: string, value: T, isSure = true): void {
    if (this.leaves(value)) this.mayLeave = true
    this.bind(name, { value, isSure })
  }

  setUnknown(name: string): void {
    this.bind(name, { isSure: true })
  }

  delete(name: string): void {
    if (this.all.has(name)) this.put(name, undefined)
  }

  /** It may be set to something else. */
  doubt(name: string): void {
    const known = this.all.get(name)
    if (known !== undefined) this.put(name, { ...known, isSure: false })
  }

  /** What is not followed may set any of them. */
  doubtAll(): void {
    this.doubted = { ...this.doubted, all: this.count, unset: true }
  }

  /** Those that were set since the count was this may have the value from before, too. */
  doubtSince(count: number): void {
    for (const name of this.log.slice(count)) if ((this.all.get(name)?.at ?? 0) > count) this.doubt(name)
  }

  /** Takes a name that is not set for empty: a guess where what is not followed may have set it. */
  takeForEmpty(name: string): void {
    if (this.doubted.unset && !this.all.has(name)) this.guesses++
  }

  /** Programs that the script starts have it, too. */
  export(name: string): void {
    const known = this.all.get(name)
    if (known !== undefined) this.put(name, { ...known, isExported: true })
  }

  /** Runs what has these names for its own, and those of `makeLocal`: afterwards they are what they were. */
  withLocals<R>(names: readonly string[], work: () => R): R {
    const { locals: outer } = this
    const locals: Before<T> = new Map()
    this.locals = locals
    for (const name of names) this.makeLocal(name)
    const result = work()
    this.locals = outer
    this.putBack(locals)
    return result
  }

  /** `local name`. */
  makeLocal(name: string): void {
    if (this.locals !== null) this.note(this.locals, name)
  }

  /** Runs a process: what it sets is gone with it. Another program has what is exported, another machine nothing. */
  process<R>(has: 'all' | 'exported' | 'nothing', work: () => R): R {
    const { undo: outer, doubted } = this
    const undo: Before<T> = new Map()
    this.undo = undo
    if (has === 'exported') this.doubted = { ...doubted, notExported: this.count }
    if (has === 'nothing') this.doubtAll()
    const result = work()
    this.undo = null
    this.putBack(undo)
    this.undo = outer
    this.doubted = doubted
    return result
  }

  private bind(name: string, binding: Pick<Binding<T>, 'value' | 'isSure'>): void {
    this.put(name, { ...binding, isExported: this.all.get(name)?.isExported === true, at: this.log.push(name) })
  }

  private putBack(before: Before<T>): void {
    for (const [name, binding] of before) this.put(name, binding)
  }

  private put(name: string, binding: Binding<T> | undefined): void {
    if (this.undo !== null) this.note(this.undo, name)
    if (binding === undefined) this.all.delete(name)
    else this.all.set(name, binding)
  }

  private note(before: Before<T>, name: string): void {
    if (!before.has(name)) before.set(name, this.all.get(name))
  }
}
