export interface RubricView {
  readonly name: string
  readonly title: string
}
