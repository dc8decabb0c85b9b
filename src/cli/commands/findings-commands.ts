import { count } from '../../domain/words.ts'
import { DISPOSITIONS, type DispositionRequest, type FindingClass, type Findings } from '../../schemas/findings.ts'
import { CliError, EXIT } from '../errors.ts'
import { choice, type Options, option } from '../options.ts'
import { clip, clipFront, oneLine, present, tableOf, tally, writeRows } from '../output/text.ts'
import { type Session, sessionCommand } from '../session.ts'
import { shellWord } from '../shell.ts'

const BATCH = { '<batch>': 'its id or name, as `veridict status` lists them' }
const BY = option('--by <name>', 'who decides: a lasting name of a person').makeOptionMandatory()

export const findings = sessionCommand<Options, [batch: string, name?: string]>('findings', {
  args: { ...BATCH, '[class]': 'list the trials of this class' },
  async work(session, _options, batch, name) {
    const data = await session.veridict.findings(batch, name === undefined ? {} : { class: name })
    const [asked] = data.classes
    if (name === undefined) await writeRows(session, data.classes, { table: CLASSES }, () => summaryOf(data))
    else await writeRows(session, asked?.trials ?? [], { table: TRIALS })
    const notes = [
      data.open === 0 ? '' : `Close a class: ${disposeLine(session, batch, 'CLASS', 'NAME')}`,
      data.ended ? '' : 'The batch has not ended: it can have more findings.',
    ]
    return { data, notes, code: data.open > 0 || !data.ended ? EXIT.unverified : EXIT.graded }
  },
})

type DisposeOptions = Options &
  Pick<DispositionRequest, 'reason' | 'by'> & { readonly as: DispositionRequest['disposition'] }

export const dispose = sessionCommand<DisposeOptions, [batch: string, name: string]>('dispose', {
  args: { ...BATCH, '<class>': 'a class, as `veridict findings BATCH` lists it' },
  options: [
    choice('--as <word>', 'what becomes of its findings', DISPOSITIONS).makeOptionMandatory(),
    option('--reason <text>', 'why; needed for dismissed'),
    BY,
  ],
  async work({ veridict }, { as: disposition, reason = '', by }, batch, name) {
    const data = await veridict.dispose(batch, { class: name, disposition, reason, by })
    return { data, text: `${data.class}: ${count(data.count, 'finding')} ${data.disposition} by ${oneLine(data.by)}\n` }
  },
})

export const signoff = sessionCommand<Options & { readonly by: string }, [batch: string]>('signoff', {
  args: BATCH,
  options: [BY],
  async work(session, { by }, batch) {
    const { veridict, flag } = session
    const { ended, classes } = await veridict.findings(batch)
    const open = classes.filter((one) => one.open)
    if (ended && open.length > 0)
      throw new CliError(
        `${batch} has ${count(open.length, 'open class', 'open classes')} of findings`,
        open.map((one) => `${count(one.count, 'finding')}: ${disposeLine(session, batch, one.id, by)}`),
        EXIT.unverified,
        'findings_open',
      )
    const data = await veridict.signOff(batch, { by })
    const bundle = `Write the signed bundle: veridict results ${shellWord(batch)}${flag} -o bundle`
    return { data, text: `${batch} is signed by ${oneLine(data.by)}: ${tallyText(data)}\n`, notes: [bundle] }
  },
})

const disposeLine = ({ flag }: Session, batch: string, name: string, by: string): string =>
  `veridict dispose ${shellWord(batch)} ${shellWord(name)}${flag} --as dismissed --reason '…' --by ${shellWord(by)}`

const stateOf = ({ open, disposition }: FindingClass): string =>
  disposition === null
    ? 'open'
    : `${open ? 'open again, was ' : ''}${disposition.disposition} by ${oneLine(disposition.by)}`

const CLASSES = tableOf<FindingClass>([
  ['class', 62, ({ id }) => id],
  ['trials', 6, (one) => String(one.count)],
  ['state', 26, stateOf],
  ['the first', 0, ({ trials: [first] }) => (first ? `${clipFront(first.name, 40)}: ${clip(first.why, 100)}` : '')],
])

const TRIALS = tableOf<FindingClass['trials'][number]>([
  ['trial', 40, ({ name }) => clipFront(name, 40)],
  ['grade', 30, ({ grade_id }) => grade_id ?? '–'],
  ['why', 0, ({ why }) => clip(why, 200)],
])

/** Renders the classes of findings, and the findings by disposition: `3 classes: dismissed 10 · open 2`. */
function tallyText({ tally: rows }: Pick<Findings, 'tally'>): string {
  const sums: Record<string, number> = {}
  for (const { disposition, findings } of rows) sums[disposition] = (sums[disposition] ?? 0) + findings
  const classes = rows.reduce((sum, row) => sum + row.classes, 0)
  return present([`${count(classes, 'class', 'classes')} of findings`, tally(sums)]).join(': ')
}

function summaryOf(data: Findings): string {
  const { signoff } = data
  const state = signoff?.outdated === true ? ', and is outdated: findings or decisions have changed since' : ''
  const signed = signoff === null ? 'not signed' : `signed by ${oneLine(signoff.by)} ${signoff.created_at}${state}`
  return `${tallyText(data)}\n${signed}`
}
