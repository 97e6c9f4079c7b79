import type { Messages } from "../messages.ts";

export const messages: Messages = {
  region: "お支払い",
  loading: "お支払い情報を読み込んでいます…",
  pending: "お支払いをお待ちしています",
  sent: "送金済みです",
  processing: "お支払いを検出しました",
  paid: "お支払い済み",
  failed: "お支払いに失敗しました",
  expired: "お支払いの期限が切れました",
  cancelled: "お支払いはキャンセルされました",
  refunded: "お支払いは返金されました",
  partiallyRefunded: "お支払いの一部が返金されました",
  otherStatus: "お支払いの状態：{status}",
  order: "注文 {order}",
  deposit: "入金する",
  fees: "手数料 {fees} を含みます",
  progress: "進行状況",
  stepWaiting: "待機中",
  stepConfirming: "確認中",
  stepPaid: "支払い済み",
  depositAmount: "金額（米ドル）",
  depositInvalid: "{example} のような金額を入力してください。上限は {most} です。",
  continue: "続ける",
  changeAmount: "金額を変更",
  howToPay: "お支払い方法",
  token: "トークン",
  network: "ネットワーク",
  qr: "入金アドレスの QR コード",
  sendExactly: "送金額（正確に）",
  toAddress: "{network} のこのアドレス宛て",
  onlyOn:
    "{network} の {token} だけを送ってください。それ以外は失われる可能性があります。取引所が手数料を差し引く場合は、その分を金額に加えてください。",
  validFor: "この価格の有効時間：{time}",
  priceRenewed: "価格が変わりました。まだ支払っていない場合は、新しい金額を送ってください。",
  priceFailed:
    "価格を読み込めませんでした（{code}）。別のトークンを選ぶか、もう一度お試しください。",
  unpayable: "このトークンはここでは使えません（{code}）。別のトークンを選んでください。",
  tryAgain: "もう一度試す",
  copyAmount: "金額をコピー",
  copyAddress: "アドレスをコピー",
  copyTransaction: "トランザクションハッシュをコピー",
  copy: "コピー",
  copied: "コピーしました",
  copyFailed: "選択して手動でコピーしてください",
  wallets: "または、このブラウザーのウォレットで支払う",
  payWith: "{wallet} で支払う",
  walletConnecting: "{wallet} を開いて、アカウントを選んでください。",
  walletSwitching: "{wallet} を開いて、{network} に切り替えてください。",
  walletSending: "{wallet} で金額とアドレスを確かめてから、承認してください。",
  walletSendingLate:
    "価格の期限が切れました。{wallet} でリクエストを拒否し、新しい価格で支払ってください。",
  walletSendingCancelled:
    "キャンセルしました。何も送金されないように、{wallet} でもリクエストを拒否してください。",
  walletSent: "{wallet} が送金しました。通常は 1 分以内にネットワークに表示されます。",
  sentBefore:
    "{wallet} はこのお支払いをすでに送金しています。そのトランザクションが失敗した場合にのみ、もう一度お支払いください。そうでない場合は二重払いになります。",
  walletRejected: "{wallet} でリクエストを拒否しました。何も送金されていません。",
  walletBusy: "ウォレットに未処理のリクエストがあります。先にそちらに応答してください。",
  walletUnknownChain:
    "{wallet} に {network} が登録されていません。{wallet} でこのネットワークを追加してから、もう一度お試しください。",
  walletWrongChain:
    "{wallet} が {network} に接続していません。ネットワークを切り替えて、もう一度お試しください。何も送金されていません。",
  walletNoFunds:
    "アカウントの残高が足りません（{network} の {token}、またはネットワーク手数料）。何も送金されていません。",
  walletQuoteExpired:
    "承認の前に価格の期限が切れました。何も送金されていません。新しい価格でもう一度お試しください。",
  walletUnsupported:
    "{wallet} はこの操作に対応していません。アドレスか QR コードで支払ってください。何も送金されていません。",
  walletFailed: "{wallet} でエラーが発生しました。何も送金されていません。",
  walletUncertain:
    "{wallet} が送金したかどうか確認できません。もう一度試す前に、ウォレットで確かめてください。",
  cancel: "キャンセル",
  payAnotherWay: "別の方法で支払う",
  keepWaiting: "このまま待つ",
  payAgain: "それでももう一度支払う",
  confirmations: "確認数：{count} / {required}",
  confirming: "ネットワークがお支払いを確認しています",
  confirmingBar: "ネットワークの確認",
  onItsWay: "お支払いは処理中です。このページを閉じてもかまいません。ショップに通知されます。",
  outcome: "結果",
  thanks: "ありがとうございました。",
  arrived: "{received} を受け取りました。ありがとうございました。",
  overpaid:
    "{received} を受け取りました。ありがとうございました。請求額を超えています。差額はショップが返金できます。",
  underpaid:
    "{received} を受け取りましたが、不足しています。不足分は送らないでください。ショップに連絡済みです。お問い合わせください。",
  failedHelp: "ショップに連絡済みです。お問い合わせください。",
  late: "{received} は期限後に届きました。ショップに連絡済みです。お問い合わせください。",
  sentLate:
    "送金は行われましたが、期限内に届きませんでした。もう一度支払わないでください。届き次第ショップに通知され、ショップが対応できます。",
  expiredHelp:
    "期限内に入金がありませんでした。このお支払いのアドレスには何も送らないでください。すでに送った場合は、届き次第ショップに通知され、ショップが対応できます。",
  cancelledHelp:
    "このお支払いのアドレスには何も送らないでください。すでに送った場合は、届き次第ショップに通知され、ショップが対応できます。",
  refundedHelp: "返金の手続き中です。詳しくはショップにお問い合わせください。",
  received: "受取額",
  receivedIn: "{network} の {token} で {amount}",
  transaction: "トランザクション",
  return: "ショップに戻る",
  returnIn: "あと {seconds} 秒",
  stay: "このページに残る",
  offline: "接続がありません。最後に読み込んだ状態を表示しています。接続は自動的に再開します。",
  notSetUp:
    "このお支払いは表示できません（{code}）。ショップ側の修正が必要です。請求は発生していません。",
  notAccessible:
    "このリンクではお支払いを開けません（{code}）。ショップに新しいリンクを依頼してください。",
  notFound: "このお支払いは存在しません（{code}）。ショップに新しいリンクを依頼してください。",
  unavailable: "現在、お支払い情報を読み込めません（{code}）。自動的に再試行します。",
};
