import http

match http.HTTPStatus:
    case object(__members__=table):
        return "PWNED"
return "no"
