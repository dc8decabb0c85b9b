import type { RubricView } from '../../schemas/rubric.ts'
import type { JudgeView } from '../../schemas/views.ts'
import { EXIT } from '../errors.ts'
import { LIST, type Options } from '../options.ts'
import { clip, NDJSON, present, tableOf } from '../output/text.ts'
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
  const rows = isTable ? JUDGES : NDJSON
  await write(rows.head() + listed.items.map(rows.row).join(''))
  for (const { reason, ...judge } of json ? [] : (listed.not_configured ?? [])) {
    // NDJSON lists the judges that can be asked.
    const stream = isTable ? shell.out : shell.err
    stream.write(JUDGES.row({ ...judge, description: `not configured: ${reason}` }))
  }
  return listed
})

const RUBRICS = tableOf<RubricView>([
  ['rubric', 30, ({ name }) => clip(name, 30)],
  ['asks', 0, ({ title }) => clip(title, 120)],
])

export const rubrics = catalogue('rubrics', async ({ veridict, format, write }) => {
  const items = await veridict.listRubrics()
  const rows = format === 'table' ? RUBRICS : NDJSON
  await write(rows.head() + items.map(rows.row).join(''))
  return { items }
})

type Judge = Pick<JudgeView, 'name' | 'default' | 'description'> & Partial<JudgeView>

const JUDGES = tableOf<Judge>([
  ['judge', 20, ({ name, default: is }) => `${clip(name, 200)}${is ? ' (default)' : ''}`],
  ['model', 28, ({ model }) => clip(model ?? '–', 100)],
  ['window', 9, ({ window_tokens }) => String(window_tokens ?? '–')],
  ['$ in/out a million tokens', 25, ({ kind, price }) => (kind === 'model' ? priceText(price ?? null) : '–')],
  [
    'about',
    0,
    ({ description, images, base_url }) => aboutOf([description, images ? 'sees pictures' : '', base_url ?? '']),
  ],
])

const aboutOf = (facts: readonly string[]): string => clip(present(facts).join(' · '), 1000)

function priceText(price: JudgeView['price']): string {
  if (price === null) return 'unknown: no cap of dollars'
  const { input_per_mtok, output_per_mtok, cache_read_per_mtok, cache_write_per_mtok } = price
  return `${input_per_mtok}/${output_per_mtok}, cache ${cache_read_per_mtok}/${cache_write_per_mtok}`
}
