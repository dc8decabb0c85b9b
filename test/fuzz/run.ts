import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runScript, UsageError, wholeNumber, withFile } from '../../tools/command-line.ts'
import { errorOf, fuzz } from './engine.ts'
import { foreignInputs, keepFind, keptInputs, type Target } from './target.ts'
import { TARGETS } from './targets.ts'

const HELP = `npm run fuzz -- [--target <name>]... [--seconds 30] [--seed 1] [--max-finds 5] [--more <folder>]
npm run fuzz -- --target <name> --input <file>     repeats one input

Inputs are made near those of test/fuzz/corpus/<target>. --more: a folder of further ones.
A find is made small, written to test/fuzz/finds/ and told with the command that repeats it; then the exit code is 1.
Targets:
${TARGETS.map(({ name, law }) => `  ${name.padEnd(16)} ${law}`).join('\n')}`

const OPTIONS = {
  target: { type: 'string', multiple: true },
  seconds: { type: 'string', default: '30' },
  seed: { type: 'string', default: '1' },
  'max-finds': { type: 'string', default: '5' },
  more: { type: 'string' },
  input: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const
const readOptions = () => parseArgs({ options: OPTIONS }).values
type Options = ReturnType<typeof readOptions>

async function repeat(target: Target<never>, file: string): Promise<number> {
  const error = await errorOf(target, decode(target, file))
  console.log(error ?? `${target.name}: the law holds`)
  return error === null ? 0 : 1
}

function decode(target: Target<never>, file: string): never {
  const bytes = withFile(file, () => readFileSync(file))
  try {
    return target.decode(bytes)
  } catch (error) {
    throw new UsageError(
      `${file}: is no input of ${target.name}: ${error instanceof Error ? error.message : 'it cannot be read'}`,
    )
  }
}

async function run<Input>(target: Target<Input>, values: Options): Promise<number> {
  const seeds = [
    ...keptInputs(target).map(({ input }) => input),
    ...(values.more ? foreignInputs(target, values.more) : []),
  ]
  const options = {
    seed: wholeNumber('--seed', values.seed, 0),
    seconds: wholeNumber('--seconds', values.seconds, 1),
    maxFinds: wholeNumber('--max-finds', values['max-finds'], 1),
  }
  const { runs, finds } = await fuzz(target, seeds, options)
  const anyTarget = target as unknown as Target<never>
  console.log(`${target.name}: ${runs} runs, near ${seeds.length} inputs, ${finds.length} finds`)
  for (const { input, error } of finds) {
    const file = keepFind(anyTarget, target.encode(input))
    console.log(
      `  ${error.split('\n').slice(0, 4).join('\n  ')}\n  npm run fuzz -- --target ${target.name} --input ${file}`,
    )
  }
  return finds.length
}

function chosenTargets(values: Options): readonly Target<never>[] {
  const unknown = values.target?.find((name) => !TARGETS.some((target) => target.name === name))
  if (unknown !== undefined)
    throw new UsageError(`no target is named ${unknown}; there are: ${TARGETS.map(({ name }) => name).join(', ')}`)
  if (values.input !== undefined && values.target?.length !== 1)
    throw new UsageError('--input goes with one --target: the one whose law it breaks')
  return TARGETS.filter(({ name }) => values.target === undefined || values.target.includes(name))
}

async function main(): Promise<number> {
  const values = readOptions()
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const targets = chosenTargets(values)
  if (values.more !== undefined && !statSync(values.more).isDirectory())
    throw new UsageError(`${values.more}: is no folder`)
  let finds = 0
  for (const target of targets)
    finds += values.input === undefined ? await run(target, values) : await repeat(target, values.input)
  return finds === 0 ? 0 : 1
}

await runScript(main)
