import fc from 'fast-check'

/** Scripts of conditions, loops, functions, processes and variables, whose only acts are calls of `make`. Three files may be there or not. */

const NAMES = ['x', 'y', 'z'] as const
const VALUES = ['deploy', 'test', '1', "''"] as const
/** The beginning of scripts with functions: a command whose file or function is missing would fail. */
const HEAD = 'f() { :; }\ng() { :; }\nx=\ny=\nz=\n: > t.sh\n'
const MOST_DEPTH = 4

/** Text with holes (`%{` stands for `$` and a brace): `%n` a name, `%v` a value, `%f` a number of a file, `%c` a condition, `%s` a simple command, `%b` a block, `%d` one of a function, `%p` what prints. */
type Form = string

/** Reads forms that stand side by side, between ` ¦ `. */
const forms = (...rows: readonly string[]): readonly Form[] => rows.flatMap((row) => row.split(' ¦ '))

const CONDITIONS = forms(
  '[ -f f%f ] ¦ [ -f f%f ] ¦ [ "$%n" = %v ] ¦ [[ -n $%n ]] ¦ [ -z "$%n" ] ¦ [[ $%n == %v ]] ¦ true ¦ false ¦ ! %c',
  'grep -q a f%f ¦ test -n "$%n" ¦ [ "$1" = a ] ¦ [ $%n ] ¦ [[ ! -f f%f ]] ¦ [[ -f f%f && -n $%n ]]',
  '[[ $%n =~ ^d ]] ¦ [ -f f%f -o -n "$%n" ] ¦ [ "$%n" != deploy ] ¦ ((1)) ¦ (( q == 1 )) ¦ [[ -f f%f || -z $%n ]]',
  '[ 1 -eq 1 ]',
)
const ACTS = forms('make deploy ¦ make deploy ¦ make $%n ¦ make "$1" ¦ make %{%n:-%v} ¦ make %{%n:+deploy}')
const SETS = forms(
  '%n=\'%v\' ¦ %n=%v ¦ %n="$%n" ¦ %n="%{%n:-%v}" ¦ %n=$(echo %v) ¦ %n+=%v ¦ export %n=%v ¦ declare %n=%v',
  'unset %n ¦ read %n < in ¦ read -r %n %n <<< "%v %v" ¦ printf -v %n %s %v ¦ %n=$(cat in) ¦ set -- %v %v',
  'shift || true ¦ let q=1 ¦ for v in x y; do declare %{v:-q}=%v; done ¦ . ./env ¦ eval "%n=%v" ¦ unset %n',
)
/** What is printed, where something takes it. */
const PRINTS = forms(
  'echo %v ¦ echo %v ¦ echo make %v ¦ echo "$%n" ¦ printf "%v\\n" ¦ cat in ¦ ls ¦ echo %v | sed s/e/x/',
  'echo %v | grep d ¦ echo %v | cat ¦ cat t.sh ¦ echo make %v | tee t.sh ¦ true',
)
/** A file of calls of `make`, and what runs it. */
const FILES = forms(
  'echo make %v > t.sh ¦ echo make %v >> t.sh ¦ echo exit >> t.sh ¦ : > t.sh ¦ %c && echo make %v > t.sh',
  'bash t.sh ¦ bash < t.sh ¦ cat t.sh | bash ¦ . ./t.sh ¦ cp t.sh u.sh; bash u.sh ¦ %c || : > t.sh',
)
const LEAVES: readonly Form[] = ['break', 'continue', 'return', 'return 1', 'return 0', 'exit 0', 'true', 'false']
const CALLS: readonly Form[] = ['f', 'g', 'f deploy', 'g %v', 'f "$%n"', '%n=%v f']
const BLOCKS = forms(
  'if %c; then\n%b\nfi ¦ if %c; then\n%b\nelse\n%b\nfi ¦ if false; then %s; elif %c; then %s; else %s; fi',
  '%c && %s ¦ %c || %s ¦ %c && %s || %s ¦ %c && %c && %s ¦ %s || true ¦ true && { %s; } ¦ false || { %s; } ¦ ! %s',
  '%c; %s ¦ for %n in %v $%n; do\n%b\ndone ¦ for %n in %v %v; do\n%b\ndone',
  'for w in f* ; do %c && %s\n%n=%v\ndone ¦ while true; do\n%b\nbreak\ndone ¦ while read %n; do\n%b\ndone < in',
  'while [ -z "$%n" ]; do %s\n%n=1\ndone ¦ n=0; while [ $n -lt 2 ]; do n=$((n+1)); %c && %s\n%s\ndone',
  'until %c; do %s; break; done ¦ until false; do %s; break; done ¦ for ((i=0; i<2; i++)); do %s; done',
  'for ((i=0; i<0; i++)); do %s; done ¦ case "$%n" in\ndeploy) %s ;;\ntest|1) %s ;;\nesac',
  'case "$%n" in\nt*) %s ;;\n*) %s ;;\nesac ¦ (%b) ¦ { %b\n} ¦ { %s; } &\nwait ¦ %s | %s',
  "echo %v | while read %n; do %s; done ¦ false | true && %s ¦ (exit 1) && %s ¦ bash -c '%s'",
  'bash -c \'make "$1"\' _ %v ¦ bash <<\'EOF\'\n%b\nEOF ¦ bash <<EOF\n%s\nEOF ¦ eval "%s" ¦ echo "$(%s)"',
  "%n=$(%s; echo 1) ¦ %n=$(%c) && %s ¦ %n=$(%c) || %s ¦ bash -c '%c' && %s ¦ bash -ec '%s; %c; %s'",
  "for %n in {1..2}; do %c && %s; done ¦ cat > s.sh <<'EOF'\n%b\nEOF\nchmod +x s.sh; ./s.sh deploy",
  "cat > s.sh <<'EOF'\n%b\nEOF\nbash s.sh deploy ¦ cat > s.sh <<'EOF'\n%b\nEOF\n. ./s.sh",
  'echo "make %v" > t.sh; bash t.sh ¦ printf \'make %s\\n\' %v | bash ¦ echo %v | xargs make',
  'echo "$%n" | xargs -I{} make {} ¦ %n=%v make $%n ¦ env %n=deploy bash -c \'make $%n\' ¦ set -e ¦ set +e',
  "set -o pipefail ¦ trap 'make %v' EXIT ¦ time %s ¦ command make %v ¦ arr=(%v %v); make %{arr[1]}",
)
/** What asks whether something failed. */
const ASKS = forms(
  'false || { [ $? -eq 0 ] && %s; } ¦ %c && %s || { [ $? -ne 0 ] && %s; } ¦ %c || [ $? -ne 0 ] && %s',
  'if %c; then %s; else [ $? -ne 0 ] && %s; fi ¦ f() { [ $? -ne 0 ] && %s; } ¦ false; true & [ $? -eq 0 ] && %s',
  '%s; [ $? -eq 0 ] || %s ¦ %s\n[ $? -ne 0 ] && %s ¦ %s; if [ $? -ne 0 ]; then %s; fi ¦ [[ $? == 0 ]] && %s',
  'if ! %s; then %s; fi ¦ if %s; then %s; else %s; fi ¦ ! %s || %s ¦ ! %s && %s ¦ if %s; then %s; fi && %s',
  'case "$%n" in d*) %s ;; *) %s ;; esac && %s ¦ for w in f*; do %s; done && %s ¦ %c | cat && %s ¦ { %b\n} || %s',
  'if %c; then %s; elif %s; then %s; else %s; fi ¦ f; [ $? = 0 ] && %s ¦ %c | %s || %s ¦ %c; test $? -gt 0 && %s',
)
/** What takes what others print. */
const TAKERS = forms(
  '%n=exit; eval "$%n" ¦ eval "$%n" ¦ bash -c "$%n; make %v" ¦ bash <<EOF\n$%n\nmake %v\nEOF ¦ %c && %n=exit',
  'command $%n ¦ %n=$(set -e; %c; %p) ¦ { %c && echo exit; echo make %v; } | bash ¦ tac t.sh | bash',
  '%n=exit; %c || $%n ¦ %c && echo exit >> t.sh; bash t.sh ¦ x=$(set -e; %c; %s; echo %v) ¦ %n=$(%p)',
  '[ "$(%p)" = %v ] && %s ¦ make $(%p) ¦ make "$(%p)" ¦ for %n in $(%p); do %s; done ¦ { %p\n} | xargs make',
  '{ %p\n} | bash ¦ bash <<EOF\n$(%p)\nEOF ¦ bash <(%p) ¦ bash <<< "$(%p)" ¦ case $(%p) in %v) %s ;; esac',
  'eval "$(%p)" ¦ { %p\n} > t.sh ¦ { %p\n} | cat | bash ¦ make %{%n:-$(%p)} ¦ x=$(f); [ "$x" = %v ] && %s',
  'f() { %p\n}',
)
const FUNCTIONS = forms(
  'f() {\n%d\n} ¦ g() {\n%d\n} ¦ h() { %d\nreturn 1; }\nh %v && %s ¦ h() { %d\nreturn 0; }\nh || %s',
  'export -f f; bash -c f ¦ f() { %c; } ¦ g() { %c && %s; } ¦ k() { local one=$1; shift; "$@"; }\nk a make %v',
  'k() { shift 2; make "$1"; }\nk a b %v ¦ h() { local %n=%v; %d\n}\nh deploy ¦ if f; then %s; fi',
  'if ! g %v; then %s; fi ¦ f && %s',
)

type Rules = Readonly<Record<string, readonly Form[]>>

/** Outside of functions, and inside of them: those that call others could go on for ever. */
const SCRIPT: Rules = {
  b: [...ACTS, ...SETS, ...CALLS, ...BLOCKS, ...ASKS, ...TAKERS, ...FILES, ...FUNCTIONS],
  p: [...PRINTS, ...PRINTS, '%c && echo %v', 'if %c; then %p; fi', 'if %c; then %p; else %p; fi', '%p\n%p', '%c || %p'],
  s: [...ACTS, ...ACTS, ...SETS, ...LEAVES, ...CALLS],
}
const BODY: Rules = {
  ...SCRIPT,
  b: [...ACTS, ...SETS, ...LEAVES, ...BLOCKS, ...ASKS, ...TAKERS],
  s: [...ACTS, ...ACTS, ...SETS, ...LEAVES],
}
const WORDS: Rules = { n: NAMES, v: VALUES, f: ['0', '1', '2'] }

/** Sequences, pipes, chains, groups and substitutions, without functions and loops: a reading is certain of most of them. */
const PLAIN: Rules = {
  b: [
    ...[...ACTS, 'make deploy', 'make test', 'ls', ...PRINTS, ...FILES, ...TAKERS, ...SETS],
    ...forms(
      '%c && %s ¦ %c || %s ¦ %s && %s ¦ %s && %s || %s ¦ %s || %s && %s ¦ true && %s ¦ false && %s; %s ¦ %s | %s',
      '%p | %s ¦ %s | cat ¦ %s | grep -q d && %s ¦ (%b) ¦ { %b\n} ¦ { %s; } &\nwait ¦ ! %s ¦ ! %s && %s',
      "bash -c '%s' ¦ bash -c '%c && %s' ¦ bash <<'EOF'\n%b\nEOF ¦ bash <<EOF\n%s\nEOF ¦ echo \"$(%s)\" ¦ cat <(%s)",
      'time %s ¦ command %s ¦ env %n=deploy %s ¦ nohup %s ¦ timeout 2 %s ¦ %n=deploy %s ¦ xargs %s < in ¦ %s > f3',
      '# %s ¦ %s # make deploy ¦ : %s ¦ echo make deploy ¦ grep -o "make deploy" f%f ¦ printf \'make deploy\\n\' | %p',
      "%s; exit ¦ exit 0; %s ¦ if %s; then %s; fi ¦ make {deploy,test} ¦ sed -n '/make deploy/p' f%f",
      'cat <<EOF | bash\nmake %v\nEOF ¦ find . -name in -exec make %v \\; ¦ false || %s ¦ true || %s',
      'true || %s && %s',
    ),
  ],
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
