import { picturesNote } from '../domain/rubric/prompt.ts'
import type { Picture } from '../domain/trajectory/picture.ts'
import type { JudgeRequest } from '../ports/judge-ports.ts'

/** The pictures of a question, each behind its label, and all behind the note that says what they are: in the parts of a provider’s API. */
export const pictureParts = <Part>(
  { images, evidence }: JudgeRequest,
  ofText: (text: string) => Part,
  ofPicture: (picture: Picture) => Part,
): Part[] =>
  images.length === 0
    ? []
    : [
        ofText(picturesNote(evidence.rubric)),
        ...images.flatMap(({ label, picture }) => [ofText(label), ofPicture(picture)]),
      ]
