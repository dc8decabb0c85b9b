/** A text made from another, each UTF-16 unit knowing the range of the other that it stands for. */
export interface MappedText {
  readonly text: string
  readonly from: Uint32Array
  readonly to: Uint32Array
}

/** `source[start, end)` as it stands. */
export function mapWhole(source: string, start: number, end: number): MappedText {
  const from = new Uint32Array(end - start)
  const to = new Uint32Array(end - start)
  for (let at = start; at < end; at++) {
    from[at - start] = at
    to[at - start] = at + 1
  }
  return { text: source.slice(start, end), from, to }
}

/** Collects the units of a text that is made from another. */
export class MappedUnits {
  readonly #codes: Uint16Array<ArrayBuffer>
  readonly #from: Uint32Array
  readonly #to: Uint32Array
  length = 0

  constructor(room: number) {
    this.#codes = new Uint16Array(room)
    this.#from = new Uint32Array(room)
    this.#to = new Uint32Array(room)
  }

  push(code: number, from: number, to: number): void {
    this.#codes[this.length] = code
    this.#from[this.length] = from
    this.#to[this.length++] = to
  }

  get last(): number {
    return this.length === 0 ? -1 : (this.#codes[this.length - 1] ?? -1)
  }

  finish(): MappedText {
    return {
      text: Buffer.from(this.#codes.buffer, 0, this.length * 2).toString('utf16le'),
      from: this.#from.subarray(0, this.length),
      to: this.#to.subarray(0, this.length),
    }
  }
}

/** The text without the units that are marked. */
export function withoutUnits(mapped: MappedText, dropped: Uint8Array): MappedText {
  const units = new MappedUnits(mapped.text.length)
  for (let at = 0; at < mapped.text.length; at++) {
    if (dropped[at] !== 1) units.push(mapped.text.charCodeAt(at), mapped.from[at] ?? 0, mapped.to[at] ?? 0)
  }
  return units.finish()
}
