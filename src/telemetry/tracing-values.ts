/** A variable by its name; undefined where it is absent or empty. */
export type Text = (name: string) => string | undefined

/** `ratio` is of traces that begin here; `parents` whether a caller’s decision comes first. */
export interface SamplerSettings {
  readonly root: 'on' | 'off' | 'ratio'
  readonly parents: boolean
  readonly ratio: number
}

const SAMPLERS: Readonly<Record<string, Pick<SamplerSettings, 'root' | 'parents'>>> = {
  always_on: { root: 'on', parents: false },
  always_off: { root: 'off', parents: false },
  traceidratio: { root: 'ratio', parents: false },
  parentbased_always_on: { root: 'on', parents: true },
  parentbased_always_off: { root: 'off', parents: true },
  parentbased_traceidratio: { root: 'ratio', parents: true },
}

/** OTEL_TRACES_SAMPLER and its argument. */
export function readSampler(text: Text): SamplerSettings {
  const name = text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const known = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined
  if (known === undefined) throw new Error(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(SAMPLERS).join(', ')}`)
  const arg = text('OTEL_TRACES_SAMPLER_ARG')
  if (known.root !== 'ratio' || arg === undefined) return { ...known, ratio: 1 }
  if (!/^(0|1|[01]?\.\d+)$/.test(arg) || Number(arg) > 1)
    throw new Error('OTEL_TRACES_SAMPLER_ARG must be a share from 0 to 1, such as 0.1')
  return { ...known, ratio: Number(arg) }
}

/** `name=value,name=value`, values in percent encoding. What is refused is not repeated: it may be a secret. */
export function readPairs(text: Text, name: string): Record<string, string> {
  const pairs = (text(name) ?? '').split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair, index) => {
      const at = pair.indexOf('=')
      const key = pair.slice(0, Math.max(0, at)).trim()
      const value = decode(pair.slice(at + 1).trim())
      if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(key) || value === null)
        throw new Error(`${name}: entry ${index + 1} is not name=value with the value in percent encoding`)
      return [key, value]
    }),
  )
}

function decode(value: string): string | null {
  try {
    const decoded = decodeURIComponent(value)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what no header may hold is looked for
    return /[\u0000-\u001f\u007f]/.test(decoded) ? null : decoded
  } catch {
    return null
  }
}
