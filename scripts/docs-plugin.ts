// Settings of typedoc that typedoc.json cannot express. `npm run docs`

import {
  type Application,
  Comment,
  type CommentDisplayPart,
  CommentTag,
  Converter,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
} from "typedoc";

export function load(app: Application): void {
  // Name guides by their headings. Front matter could do it, too, but GitHub shows that as a table.
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, guide) => {
    const heading = guide.content.map(({ text }) => /^# (.+)$/m.exec(text)?.[1]).find(Boolean);
    guide.name = heading ?? guide.name;
    guide.content = guide.content.map(asOnGitHub);
    guide.comment ??= new Comment();
    guide.comment.blockTags.push(groupTag("Guides"));
  });
  // Group errors, so that the few other classes stand out.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const it of project.getReflectionsByKind(ReflectionKind.Class)) {
      if (it.name.endsWith("Error")) it.comment?.blockTags.push(groupTag("Errors"));
    }
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => nameThrownErrors(project));
}

function groupTag(text: string): CommentTag {
  return new CommentTag("@group", [{ kind: "text", text }]);
}

/** Turns task lists into checkboxes, and does not highlight blocks without a language. */
function asOnGitHub(part: CommentDisplayPart): CommentDisplayPart {
  const text =
    part.kind === "code"
      ? part.text.replace(/^```\n/, "```text\n")
      : part.text.replaceAll(/^- \[ \] /gm, '- <input type="checkbox" aria-label="Done"> ');
  return { ...part, text };
}

/** Names and links the class in `@throws {SomeError} when ...`, which typedoc would omit. */
function nameThrownErrors(project: ProjectReflection): void {
  const reflections = Object.values(project.reflections);
  const classes = new Map(
    reflections.filter((it) => it.kindOf(ReflectionKind.Class)).map((it) => [it.name, it]),
  );
  for (const { comment } of reflections) {
    for (const tag of comment?.blockTags ?? []) {
      if (tag.tag !== "@throws" || tag.typeAnnotation === undefined) continue;
      const names = tag.typeAnnotation.replaceAll(/[{}]/g, "").split("|");
      tag.content.unshift(...names.flatMap((name) => linkTo(name.trim(), classes)));
      delete tag.typeAnnotation;
    }
  }
}

function linkTo(name: string, classes: ReadonlyMap<string, Reflection>): CommentDisplayPart[] {
  const target = classes.get(name);
  const link: CommentDisplayPart = target
    ? { kind: "inline-tag", tag: "@link", text: name, target }
    : { kind: "code", text: `\`${name}\`` };
  return [link, { kind: "text", text: " " }];
}
