import fc from 'fast-check'
import { readTables } from '../../tables.ts'

/** Scripts of conditions, loops, functions, processes and variables, whose only acts are calls of `make`. Three files may be there or not. */

const NAMES = ['x', 'y', 'z'] as const
const VALUES = ['deploy', 'test', '1', "''"] as const
/** The beginning of scripts with functions: a command whose file or function is missing would fail. */
const HEAD = 'f() { :; }\ng() { :; }\nx=\ny=\nz=\n: > t.sh\n'
const MOST_DEPTH = 4

/** Text with holes, as `shell-forms.yaml` writes it. */
type Form = string
type Kinds = 'conditions' | 'acts' | 'sets' | 'prints' | 'files' | 'leaves' | 'calls' | 'blocks' | 'asks' | 'takers'
const FORMS = readTables<Readonly<Record<Kinds | 'functions' | 'plain', readonly Form[]>>>('fuzz/laws/shell-forms')
const { conditions: CONDITIONS, acts: ACTS, sets: SETS, prints: PRINTS, leaves: LEAVES } = FORMS

type Rules = Readonly<Record<string, readonly Form[]>>

/** Outside of functions, and inside of them: those that call others could go on for ever. */
const SCRIPT: Rules = {
  b: [
    ...ACTS,
    ...SETS,
    ...FORMS.calls,
    ...FORMS.blocks,
    ...FORMS.asks,
    ...FORMS.takers,
    ...FORMS.files,
    ...FORMS.functions,
  ],
  p: [...PRINTS, ...PRINTS, '%c && echo %v', 'if %c; then %p; fi', 'if %c; then %p; else %p; fi', '%p\n%p', '%c || %p'],
  s: [...ACTS, ...ACTS, ...SETS, ...LEAVES, ...FORMS.calls],
}
const BODY: Rules = {
  ...SCRIPT,
  b: [...ACTS, ...SETS, ...LEAVES, ...FORMS.blocks, ...FORMS.asks, ...FORMS.takers],
  s: [...ACTS, ...ACTS, ...SETS, ...LEAVES],
}
const WORDS: Rules = { n: NAMES, v: VALUES, f: ['0', '1', '2'] }

const PLAIN: Rules = {
  b: [...ACTS, 'make deploy', 'make test', 'ls', ...PRINTS, ...FORMS.files, ...FORMS.takers, ...SETS, ...FORMS.plain],
  p: [...PRINTS, '%c && echo %v', '%p\n%p', 'echo make deploy', 'printf "make %v\\n"'],
  s: [...ACTS, 'make deploy', 'make test', 'ls', 'true', 'cat in', 'echo make deploy', 'false', 'exit 0'],
}

const scriptsOf = (head: string, rules: Rules): fc.Arbitrary<string> =>
  fc.array(statement(rules, 0), { minLength: 1, maxLength: 6 }).map((all) => head + all.join('\n'))

export const shellScripts: fc.Arbitrary<string> = fc.oneof(scriptsOf(HEAD, SCRIPT), {
  arbitrary: scriptsOf('', PLAIN),
  weight: 3,
})

function statement(rules: Rules, depth: number): fc.Arbitrary<string> {
  const forms = depth < MOST_DEPTH ? (rules['b'] ?? []) : ACTS
  return fc.constantFrom(...forms).chain((form) => filled(form, rules, depth))
}

/** The form with its holes filled, a script in a script under another name; quotes of another text would end those that it stands in. */
function filled(form: Form, rules: Rules, depth: number): fc.Arbitrary<string> {
  const pieces = form
    .replaceAll('%{', '$' + '{')
    .replaceAll('EOF', `EOF${depth}`)
    .replaceAll('s.sh', `s${depth}.sh`)
    .split(/(%[nvfcsbdp])/u)
  return fc.tuple(...pieces.map((piece) => hole(piece, rules, depth))).map((all) => {
    const quote = /^(?:bash -e?c '|env .*bash -c ')/u.test(form) ? /'/gu : /^eval "/u.test(form) ? /"/gu : null
    return quote === null
      ? all.join('')
      : all.map((text, at) => (at % 2 === 1 ? text.replace(quote, '') : text)).join('')
  })
}

function hole(piece: string, rules: Rules, depth: number): fc.Arbitrary<string> {
  const words = WORDS[piece.slice(1)]
  if (words !== undefined) return fc.constantFrom(...words)
  if (piece === '%c')
    return fc
      .constantFrom(...(depth < MOST_DEPTH ? CONDITIONS : ['true']))
      .chain((form) => filled(form, rules, depth + 1))
  if (piece === '%s') return fc.constantFrom(...(rules['s'] ?? [])).chain((form) => filled(form, rules, MOST_DEPTH))
  if (piece === '%p')
    return fc
      .constantFrom(...(depth < MOST_DEPTH ? (rules['p'] ?? []) : PRINTS))
      .chain((form) => filled(form, rules, depth + 1))
  if (piece === '%b' || piece === '%d')
    return fc
      .array(statement(piece === '%d' ? BODY : rules, depth + 1), { minLength: 1, maxLength: 3 })
      .map((all) => all.join('\n'))
  return fc.constant(piece)
}
