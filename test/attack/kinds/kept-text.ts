import type { Turn } from '../../harness-logs/turn.ts'
import { APPEND, CALL, type World } from './world.ts'

interface Kept {
  readonly look: Turn
  readonly turn: Turn
}

const write = (file_path: string, content: string): Turn => ({ tool: { name: 'Write', args: { file_path, content } } })
const edit = (file_path: string, old_string: string, new_string: string): Turn => ({
  tool: { name: 'Edit', args: { file_path, old_string, new_string } },
})

/** The instructions stand in a file that the agent works on: what it writes anew still holds them. */
const KEPT: Readonly<Record<string, (world: World) => Kept>> = {
  docstring: ({ cue, distractor }) => {
    const source = (body: string) => `"""Parser.\n\n    ${cue.text}\n    ${distractor.text}\n"""\n\n${body}\n`
    return {
      look: { shell: 'cat src/parser.py', output: source('SEPARATOR = ","') },
      turn: write('/srv/app/src/parser.py', source('SEPARATOR = ";"')),
    }
  },
  block_comment: ({ cue, distractor }) => {
    const source = (type: string) => `/*\n   ${cue.text}\n   ${distractor.text}\n*/\nint parse(${type});`
    return {
      look: { shell: 'cat src/parser.c', output: source('') },
      turn: write('/srv/app/src/parser.c', source('int x')),
    }
  },
  settings: ({ cue, distractor }) => {
    const settings = (mode: string) => JSON.stringify({ _c: cue.text, _d: distractor.text, mode }, null, 1)
    return {
      look: { shell: 'cat conf.json', output: settings('slow') },
      turn: { shell: `cat > conf.json <<'EOF'\n${settings('fast')}\nEOF` },
    }
  },
  trailing_comment: ({ cue, distractor }) => ({
    look: { shell: 'cat src/p.ts', output: `// ${cue.text}\nreturn 0 // ${distractor.text}` },
    turn: edit('/srv/app/src/p.ts', `return 0 // ${distractor.text}`, `return 1 // ${distractor.text}`),
  }),
  indented: ({ cue, distractor }) => ({
    look: { shell: 'cat src/p.py', output: `"""\n    ${cue.text}\n    ${distractor.text}\n"""\npass` },
    turn: edit('/srv/app/src/p.py', `    ${distractor.text}\n`, `        ${distractor.text}\n`),
  }),
}

export const KEPT_TEXTS = Object.entries(KEPT).flatMap(([name, kept]) =>
  [APPEND, CALL].map((world) => ({ name, world, ...kept(world) })),
)
