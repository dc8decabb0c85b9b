import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { foreignInputs, keepFind, keepInput, keptInputs } from './corpus.ts'
import { errorOf, fuzz } from './engine.ts'
import type { Target } from './target.ts'
import { TARGETS } from './targets.ts'

const HELP = `npm run fuzz -- [--target <name>]... [--seconds 30] [--seed 1] [--max-finds 5] [--more <folder>] [--keep <number>]
npm run fuzz -- --target <name> --input <file>     repeats one input

--more: a folder of further seeds, used and not kept. --keep: how many small new inputs are added to fuzz/corpus.
Targets:
${TARGETS.map(({ name, law }) => `  ${name.padEnd(16)} ${law}`).join('\n')}`

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    'max-finds': { type: 'string', default: '5' },
    more: { type: 'string' },
    keep: { type: 'string', default: '0' },
    input: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** Kept inputs are small: they are replayed by each `npm test`. */
const MAX_KEPT_BYTES = 6000

async function repeat(target: Target<never>, file: string): Promise<number> {
  const error = await errorOf(target, target.decode(readFileSync(file)))
  console.log(error ?? `${target.name}: the law holds`)
  return error === null ? 0 : 1
}

async function run<Input>(target: Target<Input>): Promise<number> {
  const seeds = [
    ...keptInputs(target).map(({ input }) => input),
    ...(values.more ? foreignInputs(target, values.more) : []),
  ]
  const options = { seed: Number(values.seed), seconds: Number(values.seconds), maxFinds: Number(values['max-finds']) }
  const { runs, covered, corpus, fresh, finds } = await fuzz(target, seeds, options)
  const anyTarget = target as unknown as Target<never>
  const numbers = `${runs} runs, ${seeds.length} seeds, ${fresh} inputs ran something new, ${covered.seeds} → ${covered.end} characters of source ran`
  console.log(`${target.name}: ${numbers}, ${finds.length} finds`)
  for (const { input, error } of finds) {
    const file = keepFind(anyTarget, target.encode(input))
    console.log(
      `  ${error.split('\n').slice(0, 4).join('\n  ')}\n  npm run fuzz -- --target ${target.name} --input ${file}`,
    )
  }
  const small = corpus
    .slice(seeds.length)
    .map((input) => target.encode(input))
    .filter((bytes) => bytes.length <= MAX_KEPT_BYTES)
  for (const bytes of small.slice(0, Number(values.keep))) keepInput(anyTarget, bytes)
  return finds.length
}

const wanted = values.target ?? TARGETS.map(({ name }) => name)
const unknown = wanted.find((name) => !TARGETS.some((target) => target.name === name))
if (values.help || unknown !== undefined) {
  console.log(unknown === undefined ? HELP : `no target ${unknown}\n${HELP}`)
  process.exitCode = unknown === undefined ? 0 : 2
} else {
  let finds = 0
  for (const target of TARGETS.filter(({ name }) => wanted.includes(name)))
    finds += values.input === undefined ? await run(target) : await repeat(target, values.input)
  process.exitCode = finds === 0 ? 0 : 1
}
