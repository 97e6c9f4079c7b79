import type { ReactNode } from "react";

export const metadata = { title: "Shop" };

const style = { font: "1.1rem/1.6 system-ui", maxWidth: "32rem", margin: "4rem auto" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body style={style}>{children}</body>
    </html>
  );
}
