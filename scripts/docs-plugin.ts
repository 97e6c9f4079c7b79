// What typedoc cannot be told in typedoc.json. `npm run docs`

import { type Application, Comment, CommentTag, Converter } from "typedoc";

export function load(app: Application): void {
  // Guides are called by their headings. Front matter could say it as well, but others show that as a table.
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, guide) => {
    const heading = guide.content.map(({ text }) => /^# (.+)$/m.exec(text)?.[1]).find(Boolean);
    guide.name = heading ?? guide.name;
    guide.comment ??= new Comment();
    guide.comment.blockTags.push(new CommentTag("@group", [{ kind: "text", text: "Guides" }]));
  });
}
