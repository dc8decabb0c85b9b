import type { JudgeView } from '../../schemas/views.ts'
import { EXIT } from '../errors.ts'
import { LIST, type Options } from '../options.ts'
import { clip, line, pad } from '../output/text.ts'
import { type Session, sessionCommand } from '../session.ts'

const catalogue = (name: 'judges' | 'rubrics', list: (session: Session) => Promise<unknown>) =>
  sessionCommand<Options>(
    {
      name,
      about: `list the ${name} that --${name.slice(0, -1)} can name`,
      options: [LIST],
      database: 'none',
      help: ['Exit codes: 0 listed; 1 no service; 130 interrupted.', `Example:\n  veridict ${name} -o ndjson`],
    },
    async (session) => {
      session.data = await list(session)
      return EXIT.graded
    },
  )

export const judges = catalogue('judges', async ({ veridict, shell, format, json, write }) => {
  const isTable = format === 'table'
  const listed = await veridict.listJudges()
  for (const judge of listed.items) await write(isTable ? judgeText(judge) : line(judge))
  for (const judge of json ? [] : (listed.not_configured ?? [])) {
    // NDJSON lists the judges that can be asked.
    const stream = isTable ? shell.out : shell.err
    stream.write(entryText(judge, { about: `not configured: ${judge.reason}` }))
  }
  return listed
})

export const rubrics = catalogue('rubrics', async ({ veridict, format, write }) => {
  const items = await veridict.listRubrics()
  for (const rubric of items) {
    const row = `${pad(clip(rubric.name, 30), 30)}  ${clip(rubric.title, 120)}\n`
    await write(format === 'table' ? row : line(rubric))
  }
  return { items }
})

/** Renders the name of a judge and its description; for a model also address, model, price and window. */
function judgeText(judge: JudgeView): string {
  const { base_url, model, price, window_tokens, kind } = judge
  const about = `${judge.description}${judge.images ? ', sees pictures' : ''}`
  const settings = {
    'base URL': base_url ?? '–',
    model: model ?? '–',
    price: priceText(price),
    window: window_tokens === null ? 'no limit' : `${window_tokens} tokens`,
  }
  return entryText(judge, { about, ...(kind === 'model' && settings) })
}

function entryText(
  { name, default: is }: Pick<JudgeView, 'name' | 'default'>,
  about: Readonly<Record<string, string>>,
) {
  const lines = Object.entries(about).map(([title, value]) => `  ${pad(title, 8)}  ${clip(value, 1000)}\n`)
  return `${clip(name, 200)}${is ? ' (default)' : ''}\n${lines.join('')}`
}

function priceText(price: JudgeView['price']): string {
  if (price === null) return 'unknown: not asked under a cap of dollars'
  const { input_per_mtok, output_per_mtok, cache_read_per_mtok, cache_write_per_mtok, as_of } = price
  const cache = `cache read $${cache_read_per_mtok}, write $${cache_write_per_mtok}`
  const day = as_of === null ? '' : `, as of ${as_of}`
  return `in $${input_per_mtok}, out $${output_per_mtok}, ${cache}, per million tokens${day}`
}
