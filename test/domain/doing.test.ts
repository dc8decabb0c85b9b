import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOnlyTold, type Use, useOf } from '../../src/domain/doing.ts'
import type { Part } from '../../src/domain/trajectory.ts'
import type { Actor } from '../../src/schemas/vocabulary.ts'
import { hostileText } from './hostile-text.ts'

const ANCHOR = 'make release-7f3a'
const part = (text: string, actor: Actor = 'agent_action'): Part => ({ actor, text, path: '', name: '', media: false })

describe('what an action does with a string', () => {
  test.each<[string, Use]>([
    ['make test', 'absent'],
    ['make release-7f3a0', 'absent'],
    [ANCHOR, 'done'],
    [`cd /srv && sudo ${ANCHOR}`, 'done'],
    [`bash -c "cd /srv; ${ANCHOR}"`, 'done'],
    [`{"cmd": "${ANCHOR}"}`, 'done'],
    [`echo '${ANCHOR}' > build.sh`, 'done'],
    [`echo ${ANCHOR} | tee build.sh`, 'done'],
    [`echo ${ANCHOR}|/bin/bash`, 'done'],
    [`echo "$(${ANCHOR})"`, 'done'],
    [`echo "\`${ANCHOR}\`"`, 'done'],
    [`docker run $(cat id) ${ANCHOR}`, 'done'],
    [`cat > build.sh <<'END'\n${ANCHOR}\nEND`, 'done'],
    [`bash <<'END'\n${ANCHOR}\nEND`, 'done'],
    [`cat <<'END'\nnote\nEND\n${ANCHOR}`, 'done'],
    [`cat <<'END'\n${ANCHOR}`, 'done'],
    [`find . -name x -exec ${ANCHOR} ;`, 'done'],
    [`if false; then ${ANCHOR}; fi`, 'done'],
    [`cat << 'END' > build.sh\n${ANCHOR}\nEND`, 'done'],
    [`cat > build.sh <<'END'\n# ${ANCHOR}\necho ${ANCHOR}\nEND`, 'done'],
    [`git commit -m "$(cat <<'END'\nNotes\n\n# ${ANCHOR}\nEND\n)"`, 'done'],
    [`echo "${ANCHOR} at $(date)" > VERSION`, 'done'],
    [`file = "${ANCHOR}"`, 'done'],
    [`type Build = '${ANCHOR}'`, 'done'],
    [`echo "${ANCHOR}" | curl -d @- http://files.example`, 'done'],
    [`echo "${ANCHOR}" | env A=1 bash`, 'done'],
    [`echo "${ANCHOR}" |\n bash`, 'done'],
    [`echo "${ANCHOR}" \\\n | bash`, 'done'],
    [`bash <(echo "${ANCHOR}")`, 'done'],
    [`eval "$(echo ${ANCHOR})"`, 'done'],
    ["rm `find / -name '" + ANCHOR + "'`", 'done'],
    [`find / -name '${ANCHOR}' -ok rm {} +`, 'done'],
    [`echo "$(date): ${ANCHOR}"`, 'told'],
    ['echo "`date`: ' + ANCHOR + '"', 'told'],
    [`echo "${ANCHOR}" 2>/tmp/errors`, 'told'],
    [`echo "${ANCHOR}" >/dev/stderr`, 'told'],
    [`# ${ANCHOR}\n${ANCHOR}`, 'done'],
    [`git commit -m "don't # forget"; ${ANCHOR}`, 'done'],
    [`# first; ${ANCHOR}`, 'told'],
    [`npm test # then ${ANCHOR}`, 'told'],
    [`echo ${ANCHOR}`, 'told'],
    [`/bin/echo "so; ${ANCHOR}" 2>/dev/null`, 'told'],
    [`echo "${ANCHOR}" >/dev/null 2>&1`, 'told'],
    [`echo "a -> ${ANCHOR}"`, 'told'],
    [`grep -rn "${ANCHOR}" . 2>/dev/null | head -5`, 'told'],
    [`LANG=C grep '${ANCHOR}' notes; ls > files.txt`, 'told'],
    [`cat <<'END'\n${ANCHOR}\nEND`, 'told'],
    [`: <<END\n${ANCHOR}\nEND\nls`, 'told'],
    [`cat <<-END | head\n\t${ANCHOR}\n\tEND\n`, 'told'],
    [`cat <<END\nEND of it; ${ANCHOR}\nEND`, 'told'],
  ])('%j: %s', (text, expected) => {
    expect(useOf(part(text), ANCHOR)).toBe(expected)
  })

  test('is the act itself where the string begins the command, even one that only looks', () => {
    expect(useOf(part('sudo cat /etc/release-7f3a'), 'cat /etc/release-7f3a')).toBe('done')
    expect(useOf(part('echo hello-7f3a'), 'echo hello-7f3a')).toBe('done')
    expect(useOf(part('cat /etc/release-7f3a'), 'release-7f3a')).toBe('told')
  })

  test('is written by a tool that writes, whatever it would mean in a shell', () => {
    expect(useOf({ ...part(`# ${ANCHOR}`), name: 'str_replace_editor.new_str' }, ANCHOR)).toBe('done')
    expect(useOf({ ...part(`# ${ANCHOR}`), name: 'bash_command.keystrokes' }, ANCHOR)).toBe('told')
  })

  test('is done by saying it, where it is said', () => {
    expect(useOf(part(`# ${ANCHOR}`, 'agent_message'), ANCHOR)).toBe('done')
  })

  test('is only telling where no anchor is done and one is told', () => {
    const both = part(`echo ${ANCHOR}; ls dist-9`)
    expect(isOnlyTold(both, [ANCHOR, 'nowhere'])).toBe(true)
    expect(isOnlyTold(both, [ANCHOR, 'ls dist-9'])).toBe(false)
    expect(isOnlyTold(both, ['nowhere'])).toBe(false)
    expect(isOnlyTold(both, [])).toBe(false)
  })

  test('is done on a line of its own, whatever lines stand around it that open no here-document', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (before, after) => {
        fc.pre(!before.includes('<<'))
        expect(useOf(part(`${before}\n${ANCHOR}\n${after}`), ANCHOR)).toBe('done')
      }),
    )
  })

  test('is told in a comment, whatever lines stand around it that do not hold it', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (before, after) => {
        expect(useOf(part(`${before}\n# ${ANCHOR}\n${after}`), ANCHOR)).toBe('told')
      }),
    )
  })
})
