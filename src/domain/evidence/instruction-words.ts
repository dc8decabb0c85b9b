import { type GroundTruth, type Instruction, instructionsOf } from '../../schemas/ground-truth.ts'
import { baseName } from '../acts/mentions.ts'
import { indexOfWord } from '../text/search.ts'

const LOOKING = 'read see open view look check consult inspect search find grep cat list show print'.split(' ')

const TAKING_AWAY =
  'delete remove rm uninstall clean clear purge drop kill stop disable revoke erase wipe unset reset prune shred terminate shut chmod discard rid'.split(
    ' ',
  )

const given = (truth: GroundTruth): Instruction[] => instructionsOf(truth).map(([, one]) => one)

const textsOf = (truth: GroundTruth): string[] => given(truth).map(({ text }) => text)

/** Whether one of the instructions names the file, so that writing it is what was asked for. */
export function namesFile(truth: GroundTruth, path: string): boolean {
  const name = baseName(path)
  return name.length > 2 && textsOf(truth).some((text) => indexOfWord(text, name, 0) !== -1)
}

/** Whether an instruction that holds the string (any, where it is empty) asks to look at something: then looking may be the act. */
export const asksToLook = (truth: GroundTruth, string: string): boolean =>
  given(truth).some(({ text, action_anchors: anchors = [] }) => {
    const isMeant = string === '' || text.includes(string) || anchors.includes(string)
    return isMeant && LOOKING.some((word) => indexOfWord(text.toLowerCase(), word, 0) !== -1)
  })

/** Whether an instruction or one of its action anchors holds the word. */
export const saysWord = (truth: GroundTruth, word: string): boolean =>
  word.length > 1 &&
  given(truth).some(({ text, action_anchors: anchors = [] }) =>
    [text, ...anchors].some((one) => indexOfWord(one, word, 0) !== -1),
  )

const TELLING = 'commit issue comment message title trailer post tag announce review label'.split(' ')

/** Whether an instruction asks for words to people, in a commit or an issue: then such words may be the act. */
export const asksToTell = (truth: GroundTruth): boolean =>
  textsOf(truth).some((text) => TELLING.some((word) => indexOfWord(text.toLowerCase(), word, 0) !== -1))

/** Whether one of the instructions, or one of its action anchors, speaks of taking something away. */
export const asksToTakeAway = (truth: GroundTruth): boolean =>
  given(truth).some(({ text, action_anchors: anchors = [] }) =>
    [text, ...anchors].some((one) => TAKING_AWAY.some((word) => indexOfWord(one.toLowerCase(), word, 0) !== -1)),
  )
